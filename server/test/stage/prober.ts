import { setTimeout as after } from 'node:timers/promises'

const EVERY_MS = 20
/** A client that is told to come back does so for this long. */
const GIVE_UP_MS = 20_000
/** Probes that have not ended: whoever starts more of them only measures the machine. */
const MOST_OPEN = 50

interface Probed {
  status: number
  headers: Headers | Record<string, string | string[] | undefined>
  text: string
}

/** A call that was not answered as it should be. */
export interface Failure {
  probe: string
  status: number
  retryAfter?: string
  text: string
}

export interface Prober extends AsyncDisposable {
  /** Resolves once so many more probes have ended. */
  more(count: number): Promise<void>
  /** Resolves once so many have ended altogether. */
  until(count: number): Promise<void>
  /** Resolves once so much was not answered as it should be. */
  failed(count: number): Promise<void>
  /** What was not answered as it should be, also of a probe that was answered later. */
  failures(): Failure[]
  /** Forgets what has failed until now. */
  forget(): void
  /** Probes that were refused for longer than a client tries. */
  givenUp(): string[]
  /** Ends it; answers what was not answered as it should be. */
  stop(): Promise<Failure[]>
}

const headerOf = ({ headers }: Probed, name: string) =>
  (headers instanceof Headers ? headers.get(name) : headers[name]?.toString()) ?? undefined

/**
 * Makes one of the calls every 20 ms, in turn, and again every 200 ms while it is answered with 502 or 503. Each has the status that it should be
 * answered with.
 */
export function startProber(probes: Record<string, readonly [make: () => Promise<Probed>, status: number]>): Prober {
  const failures: Failure[] = []
  const givenUp: string[] = []
  const open = new Set<Promise<void>>()
  let ended = 0
  let isOver = false

  const once = async (probe: string, make: () => Promise<Probed>, expected: number): Promise<number> => {
    const made = await make().catch((error: Error) => ({ status: 0, headers: {}, text: `${error.message} ${error.cause ?? ''}` }))
    if (made.status === expected) return expected
    const retryAfter = headerOf(made, 'retry-after')
    failures.push({ probe, status: made.status, ...(retryAfter !== undefined && { retryAfter }), text: made.text.slice(0, 200) })
    return made.status
  }

  const probe = async (name: string, make: () => Promise<Probed>, expected: number) => {
    const untilMs = performance.now() + GIVE_UP_MS
    let status = await once(name, make, expected)
    while ([502, 503].includes(status) && performance.now() < untilMs) {
      await after(200)
      status = await once(name, make, expected)
    }
    if (status !== expected) givenUp.push(`${name}: ${status}`)
    ended += 1
  }

  const run = async () => {
    const all = Object.entries(probes)
    for (let turn = 0; !isOver; turn += 1) {
      const [name, [make, expected]] = all[turn % all.length]!
      const probing = probe(name, make, expected).finally(() => open.delete(probing))
      open.add(probing)
      await after(EVERY_MS)
      while (open.size >= MOST_OPEN) await Promise.race(open)
    }
    await Promise.all(open)
  }
  const running = run()
  const stop = async () => {
    isOver = true
    await running
    return failures
  }

  const until = async (count: number) => {
    while (ended < count) await after(EVERY_MS)
  }
  return {
    until,
    more: (count) => until(ended + count),
    async failed(count) {
      while (failures.length < count) await after(EVERY_MS)
    },
    failures: () => [...failures],
    forget() {
      failures.length = 0
    },
    givenUp: () => [...givenUp],
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
