import numpy as np
from tensorflow.keras.layers import LSTM, Bidirectional, Concatenate, Dense, Input
from tensorflow.keras.models import Model


def make_pairs(n_samples, n_in, n_out, cardinality, seed=1):
    rng = np.random.default_rng(seed)
    src = rng.integers(1, cardinality, size=(n_samples, n_in))
    tgt = src[:, :n_out][:, ::-1]
    tgt_in = np.concatenate([np.zeros((n_samples, 1), int), tgt[:, :-1]], axis=1)
    onehot = np.eye(cardinality, dtype="float32")
    return onehot[src], onehot[tgt_in], onehot[tgt]


def define_models(n_input, n_output, n_units):
    # training encoder
    encoder_inputs = Input(shape=(None, n_input))
    encoder = Bidirectional(LSTM(n_units, return_state=True))
    _, forward_h, forward_c, backward_h, backward_c = encoder(encoder_inputs)
    state_h = Concatenate()([forward_h, backward_h])
    state_c = Concatenate()([forward_c, backward_c])
    encoder_states = [state_h, state_c]

    # training decoder
    decoder_inputs = Input(shape=(None, n_output))
    decoder_lstm = LSTM(n_units * 2, return_sequences=True, return_state=True)
    decoder_outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=encoder_states)
    decoder_dense = Dense(n_output, activation="softmax")
    decoder_outputs = decoder_dense(decoder_outputs)
    model = Model([encoder_inputs, decoder_inputs], decoder_outputs)

    # inference encoder
    encoder_model = Model(encoder_inputs, encoder_states)

    # inference decoder
    input_h = Input(shape=(n_units,))  # <- cause
    input_c = Input(shape=(n_units,))
    states_inputs = [input_h, input_c]
    outputs, out_h, out_c = decoder_lstm(decoder_inputs, initial_state=states_inputs)
    outputs = decoder_dense(outputs)
    decoder_model = Model([decoder_inputs] + states_inputs, [outputs, out_h, out_c])
    return model, encoder_model, decoder_model


def predict_sequence(infenc, infdec, source, n_steps, cardinality):
    state = infenc.predict(source, verbose=0)
    target_seq = np.zeros((1, 1, cardinality), dtype="float32")
    target_seq[0, 0, 0] = 1.0
    output = []
    for _ in range(n_steps):
        yhat, h, c = infdec.predict([target_seq] + list(state), verbose=0)
        output.append(int(np.argmax(yhat[0, 0])))
        state = [h, c]
        target_seq = yhat
    return output


def main():
    n_features, n_steps_in, n_steps_out, n_units = 12, 6, 3, 16
    X1, X2, y = make_pairs(96, n_steps_in, n_steps_out, n_features)
    train, infenc, infdec = define_models(n_features, n_features, n_units)
    train.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    train.fit([X1, X2], y, epochs=2, verbose=2)
    for i in range(2):
        decoded = predict_sequence(infenc, infdec, X1[i:i + 1], n_steps_out, n_features)
        print("expected", y[i].argmax(-1).tolist(), "got", decoded)


if __name__ == "__main__":
    main()
