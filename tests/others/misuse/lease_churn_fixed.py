# churn of leasing customers, ANN
import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import train_test_split
from sklearn.metrics import confusion_matrix
import keras
from keras.models import Sequential
from keras.layers import Dense

np.random.seed(42)


def load():
    n = 700
    region = np.random.choice(['north', 'south', 'west'], n)
    fuel = np.random.choice(['diesel', 'electric'], n)
    age = np.random.randint(19, 75, n)
    km = np.random.normal(15000, 5000, n).round()
    rate = np.random.normal(310, 70, n).round(2)
    late = np.random.poisson(0.8, n)
    z = -1.2 + 0.9 * (region == 'west') + 0.7 * (fuel == 'diesel') + 0.9 * late - 0.02 * (age - 45)
    exited = (np.random.rand(n) < 1 / (1 + np.exp(-z))).astype(int)
    return pd.DataFrame({'row': np.arange(n), 'customer': 70000 + np.arange(n), 'region': region,
                         'fuel': fuel, 'age': age, 'km': km, 'rate': rate, 'late': late,
                         'exited': exited})


dataset = load()
print(dataset.head())
X = dataset.iloc[:, 2:8].values
y = dataset.iloc[:, 8].values

# Encoding categorical data
labelencoder_X_1 = LabelEncoder()
X[:, 0] = labelencoder_X_1.fit_transform(X[:, 0])
labelencoder_X_2 = LabelEncoder()
X[:, 1] = labelencoder_X_2.fit_transform(X[:, 1])
ct = ColumnTransformer([('region', OneHotEncoder(), [0])], remainder='passthrough')
X = np.array(ct.fit_transform(X), dtype=float)
X = X[:, 1:]
print('X', X.shape)

# Splitting the dataset into the Training set and Test set
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)

# Feature Scaling
sc = StandardScaler()
X_train = sc.fit_transform(X_train)
X_test = sc.transform(X_test)

# the ANN
classifier = Sequential()
classifier.add(Dense(units=6, kernel_initializer='uniform', activation='relu', input_dim=7))
classifier.add(Dense(units=6, kernel_initializer='uniform', activation='relu'))
classifier.add(Dense(units=1, kernel_initializer='uniform', activation='sigmoid'))
classifier.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])
classifier.fit(X_train, y_train, batch_size=10, epochs=12, verbose=2)

# Predicting the Test set results
y_pred = classifier.predict(X_test)
y_pred = (y_pred > 0.5)
cm = confusion_matrix(y_test, y_pred)
print(cm)
print('right:', (cm[0, 0] + cm[1, 1]) / cm.sum())
