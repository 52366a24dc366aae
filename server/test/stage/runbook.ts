import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { PATIENCE_MS, pause } from './pause.ts'
import { OPERATOR_TOKEN } from './postern.ts'
import { runbookPages, runbookSections } from './runbook-pages.ts'
import { type Shell, startShell } from './shell.ts'

/** Asks until it is so; gives up with an error after two minutes, so that a test which fails also ends. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const givenUpAt = performance.now() + 2 * PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > givenUpAt) throw new Error(`still not so after ${(2 * PATIENCE_MS) / 1000} s: ${isSo}`)
    await pause()
  }
}

/** What the shell of these pages needs; without it nobody can follow them. */
export const missingPrograms = ['bash', 'curl', 'jq', 'openssl', 'prlimit', 'psql'].filter((name) => spawnSync(name, ['--version']).error)
export const runbookOptions = { skip: missingPrograms.length > 0 && `needs ${missingPrograms.join(', ')}` }

const blocksOf = (text: string) => [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!)

/** A section of the runbook. */
export interface Row {
  /** Pastes the block that has this part; answers what it printed. */
  paste(part: string): Promise<string>
  /** Pastes the command within a sentence that has this part. */
  run(part: string): Promise<string>
  /** The page and what was printed both have these words. */
  says(printed: string, ...words: string[]): void
}

export interface Runbook extends AsyncDisposable {
  /** A section; blocks with one of these parts are pasted by another test. */
  row(title: string, ...elsewhere: string[]): Row
  /** Sets variables of the shell, as somebody does who has found an id. */
  set(variables: Record<string, string>): Promise<void>
  /** Pastes something that is not on the page. */
  paste(commands: string): Promise<string>
  /** Of the sections that were asked for. */
  assertAllPasted(): void
  /** The folder that stands for `/`. */
  root: string
}

// biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
type Line = Record<string, any> | string

interface RunbookOptions {
  operatorUrl: string
  /** The lines that the journal has. */
  lines: () => Line[]
  databaseUrl?: string
  /** The folder of a SQLite database. */
  state?: string
  /** The process of the service. */
  pid?: number
  /** Text that this machine has another for. */
  instead?: Record<string, string>
}

/** As a service writes it; the server of a stage logs its time as a number. */
const journalLine = (line: Line) =>
  typeof line === 'string' ? `${line}\n` : `${JSON.stringify({ ...line, time: new Date(line.time).toISOString() })}\n`

async function writeProgram(path: string, text: string) {
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
}

/** A machine on which somebody follows the runbook, with the functions of its beginning. */
export async function openRunbook({
  operatorUrl,
  lines,
  databaseUrl = '',
  state,
  pid = 0,
  instead = {},
}: RunbookOptions): Promise<Runbook> {
  const root = await mkdtemp(join(tmpdir(), 'postern-runbook-'))
  for (const folder of ['bin', 'etc/postern', 'var/lib/postern']) await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, 'etc/postern/operator-token'), OPERATOR_TOKEN)
  await writeFile(join(root, 'etc/postern/database-url'), databaseUrl)
  await writeProgram(join(root, 'bin/journalctl'), `cat '${root}/journal'`)
  await writeProgram(join(root, 'bin/systemctl'), `[ "$1" != show ] || echo ${pid}`)
  const shell: Shell = startShell({ PATH: [join(root, 'bin'), process.env.PATH].join(delimiter), HOME: root }, root)
  const here = (text: string) =>
    text
      .replaceAll('/etc/postern/', `${root}/etc/postern/`)
      .replaceAll('/var/lib/postern', state ?? `${root}/var/lib/postern`)
      .replaceAll('http://127.0.0.1:4003', operatorUrl)
      .replaceAll(/\d{5,}/g, (text) => instead[text] ?? text)

  const paste = async (commands: string) => {
    await writeFile(join(root, 'journal'), lines().map(journalLine).join(''))
    return shell.paste(here(commands))
  }
  const unpasted: { title: string; left: Set<string> }[] = []
  // As at a terminal.
  await shell.paste('set +o pipefail')
  for (const page of runbookPages) await paste(blocksOf(page.split(/^## /m)[0]!).join('\n'))

  return {
    root,
    paste,
    set: async (variables) =>
      void (await paste(
        Object.entries(variables)
          .map(([name, value]) => `${name}=${value}`)
          .join('\n'),
      )),
    row(title, ...elsewhere) {
      const text = runbookSections.get(title)
      assert.ok(text, `the runbook has a section "${title}"`)
      const blocks = blocksOf(text)
      const left = new Set(blocks.filter((block) => !elsewhere.some((part) => block.includes(part))))
      unpasted.push({ title, left })
      return {
        async paste(part) {
          const [block, ...others] = blocks.filter((one) => one.includes(part))
          assert.ok(block && others.length === 0, `one block of "${title}" has ${part}`)
          left.delete(block)
          return paste(block)
        },
        run(part) {
          const [command, ...others] = [...text.replaceAll(/^```sh\n.*?^```$/gms, '').matchAll(/`([^`]+)`/g)].flatMap(([, code]) =>
            code!.includes(part) ? [code!] : [],
          )
          assert.ok(command && others.length === 0, `one sentence of "${title}" has ${part}`)
          return paste(command)
        },
        says(printed, ...words) {
          for (const word of words) {
            assert.ok(text.includes(word), `"${title}" has ${word}`)
            assert.ok(printed.includes(word), `${word} is in what was printed:\n${printed}`)
          }
        },
      }
    },
    assertAllPasted() {
      for (const { title, left } of unpasted) assert.deepEqual([...left], [], `all commands of "${title}" were pasted`)
    },
    async [Symbol.asyncDispose]() {
      await shell[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}
