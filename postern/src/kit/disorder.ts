import { checkNames } from './check-names.ts'
import { isGone, type OperatorApi, unlessGone } from './operator-api.ts'
import { seedOf, tellSeed } from './told-seeds.ts'

/** A kind of fault that a disorder draws. */
export type DisorderKind = 'status' | 'delay' | 'cut' | 'garbage' | 'duplicate' | 'reorder'

/** What a disorder draws, and how often. */
export interface DisorderOptions {
  /** The same seed draws the same faults. Default: `POSTERN_DISORDER_SEED`, or one that is drawn for this process. */
  seed?: number
  /** The share of calls that are hit, at most 0.5. Default: 0.1. */
  calls?: number
  /** The share of attempts of deliveries that are hit, at most 0.5. Default: 0.1. */
  deliveries?: number
  /** Default: all of them. */
  kinds?: readonly DisorderKind[]
  /** What calls are refused with. Default: all of them. */
  statuses?: readonly (429 | 500 | 503)[]
  /** The longest delay, at most `1m`. Default: `500ms`. */
  max_delay?: string
  /** Only calls of this app, and deliveries to it. */
  app_id?: string
}

/** A fault that was drawn. */
export interface DrawnFault {
  /** Its id, as in `x-postern-fault`, in recorded requests and in attempts: `disorder-7-1`. */
  fault: string
  at: string
  /** `POST /2/tweets`, or an event type. */
  what: string
  /** It was this call of its caller to the endpoint, or this delivery of the type at this attempt. */
  count: number
  /** Of a delivery. */
  attempt?: number
  kind: DisorderKind
  status?: number
  delay?: string
  app_id?: string
  user_id?: string
  webhook_id?: string
  event_uuid?: string
}

/** Faults that a seed draws until it ends. */
export interface Disorder extends AsyncDisposable {
  readonly id: string
  readonly seed: number
  /** What was drawn so far, oldest first; after the end what had been. @throws after a reset. */
  drawn(): Promise<DrawnFault[]>
  /** The same in sentences, for a message or a log. */
  describe(): Promise<string>
  /** Ends it, as `await using` does. One that a reset took away is no error. */
  end(): Promise<void>
}

/** Begins a disorder. @throws while another one is under way for the same app, or for all. */
export type BeginDisorder = (options?: DisorderOptions) => Promise<Disorder>

interface Counts {
  seen: number
  hit: number
}

/** A disorder as the server tells of it. */
export interface DisorderReport extends Required<Omit<DisorderOptions, 'app_id'>> {
  id: string
  app_id?: string
  counts: { calls: Counts; deliveries: Counts }
  drawn: DrawnFault[]
  created_at: string
}

const NAMES = ['seed', 'calls', 'deliveries', 'kinds', 'statuses', 'max_delay', 'app_id'] satisfies (keyof DisorderOptions)[]

const effects: Record<DisorderKind, (fault: DrawnFault) => string> = {
  status: ({ status, attempt }) => (attempt === undefined ? `refused with ${status}` : `taken to be answered with ${status}`),
  delay: ({ delay }) => `delayed by ${delay}`,
  cut: ({ attempt }) => (attempt === undefined ? 'done, its answer cut' : 'sent, its answer lost'),
  garbage: () => 'answered with garbage',
  duplicate: () => 'sent twice',
  reorder: () => 'sent after the next',
}

const callerOf = ({ app_id, user_id }: DrawnFault) =>
  [app_id === undefined ? '' : ` of app ${app_id}`, user_id === undefined ? '' : ` for user ${user_id}`].join('')

function lineOf(fault: DrawnFault): string {
  const { what, count, attempt, kind } = fault
  const which = attempt === undefined ? `call ${count}` : `delivery ${count}, attempt ${attempt}`
  return `${what}, ${which}${callerOf(fault)}: ${effects[kind](fault)} (${fault.fault})`
}

const describe = ({ seed, counts: { calls, deliveries }, drawn }: DisorderReport): string =>
  [
    `The disorder with the seed ${seed} hit ${calls.hit} of ${calls.seen} calls and ${deliveries.hit} of ${deliveries.seen} attempts of deliveries.`,
    ...drawn.map(lineOf),
  ].join('\n')

const gone = (seed: number, cause: unknown) =>
  new Error(`the disorder with the seed ${seed} is gone, after a reset: \`await postern.disorder({ seed: ${seed} })\` begins it again`, {
    cause,
  })

/** `ofApp` limits disorders to an app. After the end a handle tells what it had drawn. */
export const createBeginDisorder =
  (api: OperatorApi, ofApp?: string): BeginDisorder =>
  async (options = {}) => {
    checkNames('disorder', options, NAMES)
    const body = { ...(ofApp !== undefined && { app_id: ofApp }), ...options, seed: seedOf(options.seed) }
    const { id, seed } = (await api.call<{ data: DisorderReport }>('POST', '/operator/disorders', body)).data
    tellSeed(seed, options.seed)
    let last: DisorderReport | undefined

    const ask = async () => (await api.call<{ data: DisorderReport }>('GET', `/operator/disorders/${id}`)).data

    const report = async () =>
      last ??
      (await ask().catch((error: unknown) => {
        throw isGone(error) ? gone(seed, error) : error
      }))

    const end = async () => {
      if (last) return
      const atEnd = await ask().catch((error: unknown) => {
        if (!isGone(error)) throw error
        return undefined
      })
      await unlessGone(api.call('DELETE', `/operator/disorders/${id}`))
      last = atEnd
    }

    return {
      id,
      seed,
      drawn: async () => (await report()).drawn,
      describe: async () => describe(await report()),
      end,
      [Symbol.asyncDispose]: end,
    }
  }
