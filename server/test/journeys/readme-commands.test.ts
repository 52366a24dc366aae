// What a newcomer pastes from the README, before and after a restart.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { freePort } from '../stage/free-port.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { startReceiver } from '../stage/receiver.ts'

const README = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8')

/** The block with the four commands. */
const commands = /```sh\n(TOKEN=[\s\S]*?)```/.exec(README)![1]!

/** The answers that the README shows. */
const answers = /You see these responses:\n\n```json\n([\s\S]*?)```/.exec(README)![1]!.trim().split('\n')

/** Without what is another each time. */
const likeOthers = (line: string) => line.replace(/\d{18,19}/g, 'ID').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

/** Runs commands as a shell does that they are pasted into; answers what they print, through a pipe that `/dev/stderr` can be opened on. */
async function paste(lines: string, folder: string): Promise<string[]> {
  const shell = spawn('bash', ['-c', `{ ${lines}\necho "id $WEBHOOK"; } 2>&1 | cat`], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(shell.stdout), once(shell, 'exit')])
  return said.trim().split('\n')
}

test('the commands in the README print the id of the webhook and publish an event, and again after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-readme-'))
  await using receiver = await startReceiver(['demo-consumer-secret-for-development-only'])
  const port = String(await freePort())
  const here = commands.replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`).replaceAll('http://127.0.0.1:4100/webhook', receiver.url)
  const start = () => new PosternProcess({ POSTERN_PORT: port, POSTERN_OPERATOR_TOKEN: '', POSTERN_SECRET: '' }, folder)
  const ids: string[] = []
  for (const time of [1, 2]) {
    const postern = start()
    await using _ = { [Symbol.asyncDispose]: async () => void (await postern.end('SIGKILL')) }
    await postern.ready()
    assert.match(await readFile(join(folder, '.postern/operator-token'), 'utf8'), /^\S{20,}/)
    const said = await paste(here, folder)
    const id = /^id (\d{18,19})$/.exec(said.at(-1)!)?.[1]
    assert.ok(id, said.join('\n'))
    ids.push(id)
    if (time === 1)
      assert.deepEqual(
        said.slice(0, 3).map((line) => likeOthers(line.replace(receiver.url, 'http://127.0.0.1:4100/webhook'))),
        answers.map(likeOthers),
      )
    assert.match(said.at(-2)!, /^{"data":\[{"event_uuid":"\d+"}\],"meta":{"subscriptions":1,"deliveries":1}}$/, said.join('\n'))
    assert.equal((await receiver.received(time)).length, time)
    assert.equal(await postern.end('SIGTERM'), 0)
  }
  assert.equal(ids[0], ids[1])
  await rm(folder, { recursive: true })
})
