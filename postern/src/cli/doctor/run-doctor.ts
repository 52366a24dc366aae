import type { RunCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import type { Patient } from './patient.ts'
import { readPatient } from './read-patient.ts'
import type { Finding, Step } from './step.ts'
import { tryAnotherChallenge, tryChallenge, tryForeignChallenge } from './try-challenge.ts'
import { tryAlteredBody, tryDuplicate, tryEvent, tryNoSignature, tryWrongSignature } from './try-events.ts'
import { checkForm, resolveName, tryConnect, tryTls } from './try-url.ts'

const MARKS = { ok: ['green', '✓'], advice: ['yellow', '!'], mend: ['red', '✗'] } as const

function stepLine({ step, outcome, ms, says, mend }: Step, out: Output): string {
  const [style, mark] = MARKS[outcome]
  return `${out.styled(style, mark)} ${step.padEnd(16)} ${`${ms} ms`.padStart(8)}  ${says}${mend === undefined ? '' : `\n${' '.repeat(29)}${mend}`}`
}

/** Carries out steps one after the other, each with how long it took. */
function createChart(out: Output) {
  const steps: Step[] = []
  return {
    steps,
    async take(step: string, find: () => Promise<Finding> | Finding): Promise<Finding> {
      const startedMs = performance.now()
      const finding = await find()
      const done: Step = { step, ms: Math.round(performance.now() - startedMs), ...finding }
      steps.push(done)
      if (!out.isJson) out.item(done, () => stepLine(done, out))
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

/** Tries a callback step by step. */
export const runDoctor: RunCommand = async (given, { out, server }) => {
  const patient = await readPatient(given, server)
  const chart = createChart(out)
  if (await reaches(patient, chart)) await examine(patient, chart)
  const { steps } = chart
  const isHealthy = steps.every(({ outcome }) => outcome !== 'mend')
  if (out.isJson) out.show({ data: { healthy: isHealthy, steps } }, () => [])
  else out.item({}, () => sumUp(steps))
  return isHealthy ? EXIT.done : EXIT.refused
}
