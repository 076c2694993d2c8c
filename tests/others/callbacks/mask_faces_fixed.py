import os
import numpy as np
from tensorflow.keras.callbacks import CSVLogger, EarlyStopping, ModelCheckpoint, ReduceLROnPlateau
from tensorflow.keras.layers import Activation, BatchNormalization, Conv2D, GlobalAveragePooling2D, Input, MaxPooling2D
from tensorflow.keras.models import Model

batch_size = 16
num_epochs = 3
input_shape = (24, 24, 1)
validation_split = .2
num_classes = 4
patience = 10
base_path = 'models/'


def mini_cnn(input_shape, num_classes):
    img_input = Input(input_shape)
    x = Conv2D(8, (3, 3), padding='same', use_bias=False)(img_input)
    x = BatchNormalization()(x)
    x = Activation('relu')(x)
    x = MaxPooling2D((2, 2))(x)
    x = Conv2D(num_classes, (3, 3), padding='same')(x)
    x = GlobalAveragePooling2D()(x)
    output = Activation('softmax', name='predictions')(x)
    return Model(img_input, output)


def load_masks():
    rng = np.random.RandomState(6)
    kind = rng.randint(0, num_classes, 200)
    masks = rng.rand(200, 24, 24, 1).astype('float32')
    for i, k in enumerate(kind):
        masks[i, 6 * k:6 * k + 6] += 1.0
    return masks, np.eye(num_classes, dtype='float32')[kind]


model = mini_cnn(input_shape, num_classes)
model.compile(optimizer='adam', loss='categorical_crossentropy', metrics=['accuracy'])

os.makedirs(base_path, exist_ok=True)
csv_logger = CSVLogger(base_path + 'mask_training.log', append=False)
early_stop = EarlyStopping('val_loss', patience=patience)
reduce_lr = ReduceLROnPlateau('val_loss', factor=0.1, patience=int(patience / 4), verbose=1)
trained_models_path = base_path + 'mini_cnn'
model_names = trained_models_path + '.{epoch:02d}-{val_accuracy:.2f}.keras'
model_checkpoint = ModelCheckpoint(model_names, 'val_loss', verbose=1, save_best_only=True)
callbacks = [model_checkpoint, csv_logger, early_stop, reduce_lr]

masks, kinds = load_masks()
split = int(len(masks) * (1 - validation_split))
model.fit(masks[:split], kinds[:split], batch_size=batch_size, epochs=num_epochs, verbose=2,
          callbacks=callbacks, validation_data=(masks[split:], kinds[split:]))
