import { startParty } from './party.ts'

/** What Fastify alone answers, without looking at the request. */
export interface BareAnswer {
  method: 'GET' | 'POST'
  path: string
  status: number
  headers: Record<string, string>
  /** Text goes out as it is; an object is written as JSON each time. */
  body: string | object
}

export interface BareFastify extends AsyncDisposable {
  pid: number
  url: string
}

const nothing: BareAnswer = { method: 'GET', path: '/', status: 200, headers: {}, body: '' }

/** Starts a process with Fastify and nothing else. */
export async function startBareFastify(answer = nothing): Promise<BareFastify> {
  const party = await startParty<object, { url: string }>('bare-fastify.ts', answer)
  return { pid: party.pid, url: (await party.ask({})).url, [Symbol.asyncDispose]: () => party[Symbol.asyncDispose]() }
}
