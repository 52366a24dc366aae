import { styleText } from 'node:util'
import { writeExactJson } from './exact-json.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command writes. Everything that a script may want goes to stdout; what is only for a person goes to stderr. */
export interface Output {
  /** Whether one JSON document is wanted, or one per line of a stream. */
  isJson: boolean
  /** The result: a JSON document, or lines. */
  show(value: unknown, lines: () => readonly string[]): void
  /** One item of a stream: a line of JSON, or of text. */
  item(value: unknown, line: () => string): void
  /** A sentence for a person at a terminal; nothing with `--json`. */
  note(text: string): void
  /** A text with a style, where the terminal shows colours and `NO_COLOR` is not set. */
  styled(style: Style, text: string): string
}

/** Control characters but tabs and line breaks; or a style, which may stay. */
const CONTROL = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;]*m|(?![\\t\\n])\\p{Cc}`, 'gu')

const escaped = (control: string) => (control.length > 1 ? control : `\\u${control.codePointAt(0)!.toString(16).padStart(4, '0')}`)

/** Text for a terminal: what strangers wrote, such as a message of a broker, must not steer it. */
const harmless = (text: string) => text.replace(CONTROL, escaped)

export function createOutput(
  isJson: boolean,
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): Output {
  const write = (text: string) => void stdout.write(`${harmless(text)}\n`)
  return {
    isJson,
    show: (value, lines) => (isJson ? write(writeExactJson(value, 2)) : lines().forEach(write)),
    item: (value, line) => write(isJson ? writeExactJson(value) : line()),
    note: (text) => void (isJson || stderr.write(`${text}\n`)),
    styled: (style, text) => styleText(style, text, { stream: stdout }),
  }
}

/** Ends quietly when whoever reads has had enough, as `| head` does. A command that cleans up when it is stopped does so then too. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM')
      else process.exit(0)
    })
}

/** Lines of a table: a row of headings, and columns as wide as they must be. The last column is not filled up. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll('\n', '\\n')))
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
