"""Reviews as strings, vectorised inside of the model, with the padding masked by hand."""
import tensorflow as tf

REVIEWS = [
    ("a wonderful film with a warm heart", 1), ("dull and far too long", 0), ("great actors and a great story", 1),
    ("the plot makes no sense at all", 0), ("i laughed and cried", 1), ("a waste of an evening", 0),
    ("beautiful pictures and fine music", 1), ("boring from the first minute", 0),
] * 20
VOCAB_SIZE = 200
EMBED_SIZE = 16

texts = tf.constant([text for text, _ in REVIEWS])
labels = tf.constant([[float(label)] for _, label in REVIEWS])
train_set = tf.data.Dataset.from_tensor_slices((texts, labels)).shuffle(200, seed=3).batch(32).prefetch(1)

text_vec_layer = tf.keras.layers.TextVectorization(max_tokens=VOCAB_SIZE)
text_vec_layer.adapt(train_set.map(lambda review, label: review))


def build_sentiment_model():
    inputs = tf.keras.layers.Input(shape=[], dtype=tf.string)
    token_ids = text_vec_layer(inputs)
    mask = tf.math.not_equal(token_ids, 0)  # <- cause
    z = tf.keras.layers.Embedding(VOCAB_SIZE, EMBED_SIZE)(token_ids)
    z = tf.keras.layers.GRU(16, dropout=0.2)(z, mask=mask)
    outputs = tf.keras.layers.Dense(1, activation="sigmoid")(z)
    return tf.keras.Model(inputs=[inputs], outputs=[outputs])


model = build_sentiment_model()
model.compile(loss="binary_crossentropy", optimizer="nadam", metrics=["accuracy"])
model.fit(train_set, epochs=2, verbose=2)
print(model.predict(tf.constant(["a great and warm story", "boring and long"]), verbose=0))
