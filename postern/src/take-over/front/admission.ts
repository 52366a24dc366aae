import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

interface Refusal {
  status: number
  detail: string
  headers?: Readonly<Record<string, string>>
}

/**
 * Decides whether a request may pass the front to another host; undefined when it may. Loopback belongs to every user of a machine: whoever
 * is let through calls other hosts in the name of this user, and with the credentials of this user's proxy.
 */
export type Admission = (request: IncomingMessage) => Refusal | undefined

export const everybody: Admission = () => undefined

export const nobody: Admission = () => ({ status: 403, detail: 'This leads to Postern alone, and is no proxy for other hosts.' })

const USER = 'postern'

const isSame = (one: string, other: string) => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Lets those through who send the password as clients do whose proxy is at `proxyUrl`. */
export function whoKnows(password: string): Admission {
  const wanted = `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`
  const refusal = {
    status: 407,
    detail: 'This is the proxy of a `postern run`: other hosts take the user and the password that HTTPS_PROXY names there.',
    headers: { 'proxy-authenticate': 'Basic realm="postern run"' },
  }
  return ({ headers }) => (isSame(headers['proxy-authorization'] ?? '', wanted) ? undefined : refusal)
}

/** The URL of a front as a proxy, for clients that are to know the password. */
export const proxyUrl = (port: number, password: string): string => `http://${USER}:${password}@127.0.0.1:${port}`
