import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type { Arguments } from '../command.ts'
import { seededCredentials } from '../credentials/credentials.ts'
import { checkEventType } from '../event-types.ts'
import { Failure, wrongUsage } from '../failure.ts'
import type { Json, Server } from '../server.ts'
import type { Patient } from './patient.ts'

const HEADERS = { spec: 'x-service-webhooks-signature', x: 'x-twitter-webhooks-signature' }

/** What the running server says of events of a type: the header of their signature, and an example. Undefined where none runs. */
async function described(server: Server, type: string): Promise<{ header: string; example: Json } | undefined> {
  try {
    const { body } = await server.send({ method: 'GET', url: `${server.url}/openapi.json` })
    const operation = body?.webhooks?.[type]?.post
    if (operation === undefined) return undefined
    const media = operation.requestBody.content['application/json']
    return { header: operation.parameters[0].name, example: media.example ?? Object.values<Json>(media.examples ?? {})[0]?.value }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** An event with an id that no other has. */
function eventOf(type: string, example: Json): Buffer {
  const data = example?.data ?? { filter: { user_id: '101' }, payload: {} }
  return Buffer.from(JSON.stringify({ data: { ...data, event_uuid: String(randomInt(2 ** 47)), event_type: type } }))
}

async function secretOf(given: Arguments): Promise<Pick<Patient, 'secret' | 'secretSource'>> {
  const { secret } = given.options as { secret?: string }
  if (secret !== undefined) return { secret, secretSource: '--secret' }
  const { POSTERN_CONSUMER_SECRET: inEnvironment } = process.env
  if (inEnvironment !== undefined) return { secret: inEnvironment, secretSource: 'POSTERN_CONSUMER_SECRET' }
  const { app } = await seededCredentials(given)
  return { secret: app.secret, secretSource: `the app ${app.name} of the seed` }
}

async function certificatesOf(path: string | undefined): Promise<string[] | undefined> {
  if (path === undefined) return undefined
  const own = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Failure(`--ca: ${error.message}`)
  })
  return [...rootCertificates, own]
}

/** Reads what is to be looked at from the command line, and from the running server where there is one. */
export async function readPatient(given: Arguments, server: Server): Promise<Patient> {
  const [address] = given.positionals
  if (!URL.canParse(address!) || !/^https?:$/.test(new URL(address!).protocol))
    throw wrongUsage(`<callback url> is a URL such as https://bot.example.com/webhook, and not ${address}.`)
  const { event: type, dialect, ca } = given.options as Record<string, string>
  checkEventType(type!)
  const found = await described(server, type!)
  return {
    url: new URL(address!),
    ...(await secretOf(given)),
    signatureHeader: dialect ? HEADERS[dialect as keyof typeof HEADERS] : (found?.header ?? HEADERS.spec),
    event: eventOf(type!, found?.example),
    ca: await certificatesOf(ca),
  }
}
