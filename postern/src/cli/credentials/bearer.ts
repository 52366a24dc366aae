import { Failure } from '../failure.ts'
import type { Server } from '../server.ts'
import { sayProblem } from '../server.ts'
import type { AppKeys } from './credentials.ts'

const OK = 200

/** The bearer token of an app, as the value of an Authorization header. */
export async function bearerOf(server: Server, { key, secret, name }: AppKeys): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await server.send({ method: 'POST', url: `${server.url}/oauth2/token`, headers, body: 'grant_type=client_credentials' })
  if (answer.status === OK) return `Bearer ${answer.body.access_token}`
  const said = sayProblem('POST /oauth2/token', answer)
  throw new Failure(
    `${said}\nThe server does not know the app ${name} with this secret: name the seed that it was started with (--seed).`,
    1,
    answer,
  )
}
