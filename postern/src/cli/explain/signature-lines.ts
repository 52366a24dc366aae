import type { Json } from '../server.ts'
import { tableLines } from '../table-lines.ts'

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

/** A heading with lines below it; nothing where there are none. */
const section = (heading: string, lines: readonly string[]) => (lines.length === 0 ? [] : ['', `${heading}:`, ...indented(lines)])

/** What the server made of a request whose signature it refused. */
export function signatureLines({ parameters, base_strings, signed_base_string }: Json): string[] {
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
