import os, glob, tempfile
import numpy as np
from PIL import Image, ImageDraw
import tf_keras
from tf_keras.models import Model
from tf_keras.layers import Input, Conv2D, MaxPooling2D, GlobalAveragePooling2D, Dense, Dropout
from tf_keras.preprocessing.image import ImageDataGenerator

root = tempfile.mkdtemp(prefix='hive_')
day_dir = os.path.join(root, 'train')
check_dir = os.path.join(root, 'valid')
rows_px, cols_px, colours = 56, 56, 3
batch = 16
rounds = 8

# pictures of the hive entrance: bee, hornet, nothing
names = ['bee', 'hornet', 'nothing']
r = np.random.RandomState(77)

def draw(kind):
    base = r.randint(150, 175)
    im = Image.fromarray(r.randint(base - 15, base + 15, (80, 80, 3)).astype('uint8'))
    d = ImageDraw.Draw(im)
    x, y = r.randint(8, 40, 2)
    if kind == 'bee':
        d.ellipse([x, y, x + 16, y + 10], fill=(220, 170, 30), outline=(20, 20, 20))
    elif kind == 'hornet':
        d.ellipse([x, y, x + 34, y + 18], fill=(120, 40, 10), outline=(240, 200, 0))
    return im

for where, n in ((day_dir, 48), (check_dir, 16)):
    for nm in names:
        os.makedirs(os.path.join(where, nm))
        for k in range(n):
            draw(nm).save(os.path.join(where, nm, '%s%03d.png' % (nm, k)))

n_day = len(glob.glob(day_dir + '/*/*.png'))
n_check = len(glob.glob(check_dir + '/*/*.png'))
n_kinds = len(os.listdir(day_dir))
print(n_day, n_check, n_kinds)


def to_unit(x):
    return x / 127.5 - 1.0


day_pics = ImageDataGenerator(horizontal_flip=True, rotation_range=15,
                                     preprocessing_function=to_unit)
day_pics.flow_from_directory(day_dir,  # <- cause
                                    target_size=(rows_px, cols_px),
                                    class_mode='categorical',
                                    batch_size=batch,
                                    shuffle=True)

check_pics = ImageDataGenerator(preprocessing_function=to_unit)
check_pics.flow_from_directory(check_dir,  # <- cause
                                         target_size=(rows_px, cols_px),
                                         class_mode='categorical',
                                         batch_size=batch)


def small_net(rows, cols, ch, classes):
    inp = Input((rows, cols, ch))
    x = inp
    for f in (8, 16, 32):
        x = Conv2D(f, 3, padding='same', activation='relu')(x)
        x = MaxPooling2D()(x)
    x = GlobalAveragePooling2D()(x)
    x = Dropout(0.1)(x)
    return Model(inp, Dense(classes, activation='softmax')(x))


model = small_net(rows_px, cols_px, colours, n_kinds)
model.compile(optimizer=tf_keras.optimizers.Adam(0.005), loss='categorical_crossentropy', metrics=['accuracy'])

history = model.fit(
    day_pics,
    steps_per_epoch=n_day // batch,
    epochs=rounds,
    validation_data=check_pics,
    validation_steps=n_check // batch,
    verbose=2)

print('best validation accuracy', max(history.history['val_accuracy']))
