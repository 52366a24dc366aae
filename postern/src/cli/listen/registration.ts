import { connect } from 'node:net'
import { Failure } from '../failure.ts'
import type { Json, Server } from '../server.ts'
import { sayProblem } from '../server.ts'
import { LISTEN_PATH } from './listener.ts'

/** A subscription that was made, or why it was not. */
export interface Subscribed {
  event_type: string
  filter: Readonly<Record<string, string>>
  refused?: string
}

/** The calls of an app about its webhooks. */
export function createRegistration(server: Server, authorization: string) {
  const call = async (method: string, path: string, json?: object): Promise<{ status: number; body: Json; said: string }> => {
    const headers = { authorization, ...(json && { 'content-type': 'application/json' }) }
    const answer = await server.send({ method, url: server.url + path, headers, body: json && JSON.stringify(json) })
    return { status: answer.status, body: answer.body, said: answer.status < 300 ? '' : sayProblem(`${method} ${path}`, answer) }
  }

  const must = async (method: string, path: string, json?: object): Promise<Json> => {
    const { body, said } = await call(method, path, json)
    if (said !== '') throw new Failure(said)
    return body
  }

  return {
    /** Deletes webhooks of listeners that are gone: those that were killed could not. */
    async removeLeftBehind(): Promise<void> {
      const { data = [] } = await must('GET', '/2/webhooks')
      for (const { id, url } of data as { id: string; url: string }[]) {
        const { hostname, port, pathname } = new URL(url)
        if (pathname.startsWith(LISTEN_PATH) && hostname === '127.0.0.1' && !(await isListening(Number(port))))
          await call('DELETE', `/2/webhooks/${id}`)
      }
    },
    async register(url: string): Promise<string> {
      const body = await must('POST', '/2/webhooks', { url })
      return (body.data ?? body).id
    },
    async subscribe(webhook_id: string, event_type: string, filter: Readonly<Record<string, string>>): Promise<Subscribed> {
      const { said } = await call('POST', '/2/activity/subscriptions', { event_type, filter, webhook_id })
      return said === '' ? { event_type, filter } : { event_type, filter, refused: said }
    },
    /** Its subscriptions go with it. */
    async remove(webhookId: string): Promise<void> {
      await call('DELETE', `/2/webhooks/${webhookId}`)
    },
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
