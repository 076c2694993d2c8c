import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

deposit = tf.placeholder(tf.float32, name='deposit')
interest = tf.placeholder(tf.float32, name='interest')
balance = tf.Variable(0., name='balance')

update = balance.assign(deposit + interest)

init = tf.global_variables_initializer()

with tf.Session() as s:
    s.run(init)
    rows = [(100., 1.5), (250., 3.75), (40., 0.6)]
    history = []
    for d, i in rows:
        val = s.run([update], {deposit: d, interest: i})
        history.append(val[0])
        print('booked', d, i, '->', val[0])
    print('last balance', s.run(balance))
    print('sum of all', sum(history))
