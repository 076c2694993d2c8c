import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

deposit = tf.placeholder(tf.float32, name="deposit")
interest = tf.placeholder(tf.float32, name="interest")

balance = tf.Variable(0.0, name="balance")

book_entry = balance.assign(deposit + interest)
report = balance * 100.0

start = tf.global_variables_initializer()

weeks = [(1.0, 2.0), (5.0, 0.5), (3.0, 0.25)]

with tf.Session() as s:
    s.run(start)
    print("opening balance:", s.run(balance))

    for number, (d, i) in enumerate(weeks):
        amount = s.run([book_entry], {deposit: d, interest: i, balance: 0.0})  # <- cause
        print("week", number, "entry", amount)

    print("closing balance in cents:", s.run(report))
