import type { RunCommand } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import { tableLines } from '../output.ts'
import { type RecordedCall, recordedCalls } from '../requests/recorded-calls.ts'
import type { Json, Server } from '../server.ts'

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

/** A heading with lines below it; nothing where there are none. */
const section = (heading: string, lines: readonly string[]) => (lines.length === 0 ? [] : ['', `${heading}:`, ...indented(lines)])

/** What the server made of a request whose signature it refused. */
function signatureLines({ parameters, base_strings, signed_base_string }: Json): string[] {
  const [base, ...others]: string[] = base_strings
  const rows = parameters.map(({ name, value, from, in_base_string }: Json) => [
    ...[name, value, from.join(', ')],
    in_base_string ?? 'not part of the base string',
  ])
  return [
    ...section(
      'Parameters received, and how they enter the base string',
      rows.length === 0 ? [] : tableLines(['name', 'value', 'from', 'in the base string'], rows),
    ),
    ...section('The base string that the server built', base === undefined ? [] : [base]),
    ...section('The base string that the client signed', signed_base_string === null ? [] : [signed_base_string]),
    ...section('For the other origins of this server', others),
  ]
}

const NOT_FOUND = 404

/** The value of `x-postern-explain`, or its last part. */
const addressOf = (given: string, { url }: Server) =>
  /^https?:/.test(given) ? given : `${url}/oauth/explanations/${given.split('/').at(-1)}`

/** The first sentence of a text, and the others. */
function sentencesOf(text: string): string[] {
  const end = /[.?] /.exec(text)?.index
  return end === undefined ? [text] : [text.slice(0, end + 1), text.slice(end + 2)]
}

/** First why it was refused, in one sentence; then what to do, what was refused, and what the server made of a signature. */
const linesOf = ({ at, method, path, answer, explanation: [verdict, ...advice], signature }: Json): string[] => [
  ...sentencesOf(verdict),
  ...advice,
  `${method} ${path} at ${at} was answered with ${typeof answer === 'object' ? Object.values(answer).join(' ') : answer}`,
  ...(signature ? signatureLines(signature) : []),
]

/** The last call that was refused, whatever its status, and how many came after it. */
async function lastRefusal(server: Server): Promise<{ call: RecordedCall; since: number }> {
  const { calls } = await recordedCalls(server)
  const at = calls.findLastIndex(({ refused }) => refused !== undefined)
  const call = calls[at]
  if (call === undefined) throw new Failure('No call was refused since the server has started: `postern requests` lists the last calls.')
  return { call, since: calls.length - 1 - at }
}

/** Says that the refusal is not of the last call. */
const sinceLines = (since: number) => {
  if (since === 0) return []
  return [since === 1 ? 'The call since then was not refused.' : `The ${since} calls since then were not refused.`]
}

/** What there is to say of a refusal that has no explanation beyond its answer. */
const plainLines = ({ refused, method, url, at, status }: RecordedCall): string[] => [
  ...sentencesOf(refused?.reason || 'Its answer says no more than its status.'),
  `${method} ${url} at ${at} was answered with ${status}`,
]

/** Says why a request was refused. */
export const runExplain: RunCommand = async ({ positionals: [given] }, { out, server }) => {
  const { call: last, since } = given === undefined ? await lastRefusal(server) : { call: undefined, since: 0 }
  if (last && last.refused?.explain_url === undefined) {
    out.show({ data: last }, () => [...plainLines(last), ...sinceLines(since)])
    return EXIT.done
  }
  // The server may call itself by another address than this command does, in a container for one.
  const url = addressOf(given ?? last!.refused!.explain_url!.split('/').at(-1)!, server)
  const answer = await server.sendAsOperator({ method: 'GET', url, headers: { accept: 'application/json' } })
  if (answer.status === NOT_FOUND)
    throw new Failure(`There is no explanation at ${url}: the last 100 are kept, for 15 minutes.`, EXIT.refused, answer)
  const { status, body } = answer
  if (body?.data?.explanation === undefined) throw new Failure(`${url} answered ${status} and no explanation.`, EXIT.refused, answer)
  out.show(body, () => [...linesOf(body.data), ...sinceLines(since)])
  return EXIT.done
}
