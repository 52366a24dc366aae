import type { OperatorApi } from './operator-api.ts'

/** Something that fell due while the clock moved: a delivery, a retry, a challenge, an expiry … */
export interface Happening {
  at: string
  kind: string
  outcome?: string
  [member: string]: unknown
}

/** What a move of the clock did. */
export interface Moved {
  now: Date
  /** In order; at most 1,000. */
  happened: Happening[]
  /** How many more things happened. */
  more: number
}

/** The clock of the server. Challenges, retries, replay windows, limits and expiry follow it. */
export interface PosternClock {
  /** Advances it by a duration such as `90s`, `5m` or `25h`. All that was due has happened when it resolves. */
  advance(duration: string): Promise<Moved>
  /** Advances it to a time, which is not before the current one. */
  set(time: Date | string): Promise<Moved>
  /** Corrects the wall clock by a duration, `-1h` too: dates follow, timers do not. */
  step(duration: string): Promise<Moved>
}

interface Answer {
  data: { now: string; happened?: Happening[] }
  meta?: { more?: number }
}

export function createPosternClock(api: OperatorApi): PosternClock {
  const move = async (how: object): Promise<Moved> => {
    const { data, meta } = await api.call<Answer>('POST', '/operator/clock', how)
    return { now: new Date(data.now), happened: data.happened ?? [], more: meta?.more ?? 0 }
  }
  return {
    advance: (duration) => move({ advance: duration }),
    set: (time) => move({ set: typeof time === 'string' ? time : time.toISOString() }),
    step: (duration) => move({ step: duration }),
  }
}
