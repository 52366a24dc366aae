import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type { Arguments, RunCommand } from '../command.ts'
import { seededCredentials } from '../credentials/credentials.ts'
import { checkEventType } from '../event-types.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import type { Json, Server } from '../server.ts'
import type { Finding, Patient, Step } from './step.ts'
import { tryAnotherChallenge, tryChallenge, tryForeignChallenge } from './try-challenge.ts'
import { tryAlteredBody, tryDuplicate, tryEvent, tryNoSignature, tryWrongSignature } from './try-events.ts'
import { checkForm, resolveName, tryConnect, tryTls } from './try-url.ts'

const WEBHOOK_ID = /^\d{1,19}$/

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
async function readPatient(given: Arguments, server: Server): Promise<Patient> {
  const [address] = given.positionals
  if (!URL.canParse(address!) || !/^https?:$/.test(new URL(address!).protocol))
    throw wrongUsage(`<callback> is a URL such as https://bot.example.com/webhook or the id of a webhook, and not ${address}.`)
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

const MARKS = { ok: ['green', '✓'], advice: ['yellow', '!'], mend: ['red', '✗'] } as const

function stepLine({ step, outcome, ms, says, mend }: Step, out: Output): string {
  const [style, mark] = MARKS[outcome]
  return `${out.styled(style, mark)} ${step.padEnd(16)} ${`${ms} ms`.padStart(8)}  ${says}${mend === undefined ? '' : `\n${' '.repeat(29)}${mend}`}`
}

/** Carries out steps one after the other, each with how long it took. */
function createChart(out: Output) {
  const steps: Step[] = []
  const tell = (done: Step) => {
    steps.push(done)
    if (!out.isJson) out.item(done, () => stepLine(done, out))
  }
  return {
    steps,
    tell,
    async take(step: string, find: () => Promise<Finding> | Finding): Promise<Finding> {
      const startedMs = performance.now()
      const finding = await find()
      tell({ step, ms: Math.round(performance.now() - startedMs), ...finding })
      return finding
    },
  }
}
type Chart = ReturnType<typeof createChart>

/** Name, connection and TLS. False when nothing more can be tried. */
async function reaches({ url, ca }: Patient, { take }: Chart): Promise<boolean> {
  let address: string | undefined
  await take('url', () => checkForm(url))
  await take('resolve', async () => {
    const found = await resolveName(url)
    address = found.address
    return found.finding
  })
  if (address === undefined) return false
  const reached = address
  const { outcome } = await take('connect', () => tryConnect(url, reached))
  if (outcome === 'mend' || url.protocol === 'http:') return outcome !== 'mend'
  return (await take('tls', () => tryTls(url, reached, ca))).outcome !== 'mend'
}

async function examine(patient: Patient, { take }: Chart): Promise<void> {
  const { outcome } = await take('challenge', () => tryChallenge(patient))
  if (outcome !== 'mend') {
    await take('challenge again', () => tryAnotherChallenge(patient))
    await take('wrong challenge', () => tryForeignChallenge(patient))
  }
  const event = await take('event', () => tryEvent(patient))
  if (event.outcome !== 'mend') await take('duplicate', () => tryDuplicate(patient))
  await take('wrong signature', () => tryWrongSignature(patient))
  await take('altered body', () => tryAlteredBody(patient))
  await take('no signature', () => tryNoSignature(patient))
}

function sumUp(steps: readonly Step[]): string {
  const mends = steps.filter(({ outcome }) => outcome === 'mend').length
  const hints = steps.filter(({ outcome }) => outcome === 'advice').length
  const more = hints === 0 ? '' : `, ${hints} to think about`
  return mends === 0 ? `The callback is ready${more}.` : `${mends} to mend${more}.`
}

/** The running server challenges a webhook of its own, and tells the steps. */
async function challengeWebhook(id: string, server: Server, { tell }: Chart): Promise<void> {
  const { data } = await server.operator('POST', `/operator/webhooks/${id}/challenge`)
  for (const step of data.steps) tell(step)
}

/** Tries a callback step by step. */
export const runDoctor: RunCommand = async (given, { out, server }) => {
  const [callback] = given.positionals
  const chart = createChart(out)
  if (WEBHOOK_ID.test(callback!)) await challengeWebhook(callback!, server, chart)
  else {
    const patient = await readPatient(given, server)
    if (await reaches(patient, chart)) await examine(patient, chart)
  }
  const { steps } = chart
  const isHealthy = steps.every(({ outcome }) => outcome !== 'mend')
  if (out.isJson) out.show({ data: { healthy: isHealthy, steps } }, () => [])
  else out.item({}, () => sumUp(steps))
  return isHealthy ? EXIT.done : EXIT.refused
}
