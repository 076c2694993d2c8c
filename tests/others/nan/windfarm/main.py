from policy import Reinforce
from turbine import YawEnv

SEASON = [8.0, 9.5, 7.0, 8.8, 1.2, 6.5, 7.7, 9.0]


def play(env, agent, mean_speed):
    obs, done = env.reset(mean_speed), False
    seen, acts, pay = [], [], []
    while not done:
        a = agent.act(obs)
        seen.append(obs)
        acts.append(a)
        obs, r, done = env.step(a)
        pay.append(r)
    return seen, acts, pay


def main():
    env, agent = YawEnv(seed=4), Reinforce()
    for day, speed in enumerate(SEASON):
        seen, acts, pay = play(env, agent, speed)
        loss = agent.learn(seen, acts, pay)
        print(f"day {day}: energy {sum(pay):7.2f}")


if __name__ == "__main__":
    main()
