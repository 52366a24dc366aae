// The rows of docs/runbook.md about one machine, each tried by making its fault.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { backUpFrom, backupFolder, restoreTo } from '../../stage/backups.ts'
import { call } from '../../stage/call.ts'
import { freshDatabase } from '../../stage/database.ts'
import { messages, publish, subscribe } from '../../stage/demo-client.ts'
import { freePort } from '../../stage/free-port.ts'
import { startFreezer } from '../../stage/freeze-threads.ts'
import { demoApp, OPERATOR_TOKEN, setStage } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { answerWith, startReceiver } from '../../stage/receiver.ts'
import { openRunbook, runbookOptions, until } from '../../stage/runbook.ts'
import { canMount, mountSmallDisk } from '../../stage/small-disk.ts'

const DEMO_SECRET = 'demo-consumer-secret-for-development-only'
/** As many descriptors as this machine lets a process have. */
const [, MOST_OPEN = ''] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
const FROZEN_MS = 15_000

/** A service on SQLite, whose operator port stays the same when it is started again. */
async function startService(folder: string, more: Record<string, string> = {}) {
  const port = String(await freePort())
  const environment = { POSTERN_DATABASE_URL: `sqlite:${folder}/postern.db`, POSTERN_OPERATOR_PORT: port, ...more }
  const lines: object[] = []
  let postern: PosternProcess
  const start = async (changed: Record<string, string> = {}) => {
    postern = new PosternProcess({ ...environment, ...changed }, folder)
    return postern.ready()
  }
  const origins = await start()
  const book = await openRunbook({
    operatorUrl: `http://127.0.0.1:${port}`,
    lines: () => [...lines, ...postern.lines, ...postern.stderr.split('\n')],
    state: folder,
    pid: postern!.child.pid!,
    instead: { 65536: MOST_OPEN },
  })
  return {
    origins,
    book,
    process: () => postern,
    async restart(changed: Record<string, string> = {}) {
      await postern.end('SIGTERM')
      lines.push(...postern.lines)
      return start(changed)
    },
    async [Symbol.asyncDispose]() {
      await postern.end('SIGKILL')
      await book[Symbol.asyncDispose]()
    },
  }
}

const withoutDisk = !(await canMount()) && 'needs to mount a disk'

suite('the runbook of the server', runbookOptions, () => {
  test('Look first, A process is down, A wrong release', async () => {
    await using database = await freshDatabase('sqlite')
    const path = database.url.slice('sqlite:'.length)
    await using service = await startService(dirname(path))
    const { book } = service
    const first = book.row('Look first')
    first.says(await first.paste('overview'), 'held_since', 'processes', 'refused')

    const down = book.row('A process is down')
    await service.process().end('SIGKILL')
    await assert.rejects(book.paste('ready'), /7\)|refused|connect/i)
    await assert.rejects(service.restart({ POSTERN_RETRY_PLAN: 'soon' }))
    down.says(await down.paste('-n 20'), 'Postern cannot start:')
    assert.match(await book.paste('journalctl'), /POSTERN_RETRY_PLAN must/)
    await service.restart()
    assert.equal((await book.paste('ready')).trim(), '{"ready":true}')
    down.says(await down.paste('processes'), 'version', 'started_at')

    const wrong = book.row('A wrong release')
    await service.process().end('SIGTERM')
    const later = (sql: string) => {
      using db = new DatabaseSync(path)
      db.exec(sql)
    }
    later(`insert into migrations (name, "timestamp") values ('999-later', '2026-11-26T00:00:00Z')`)
    await assert.rejects(service.restart())
    const shown = await book.paste('journalctl -n 3')
    assert.match(shown, /Postern cannot start: .*newer/)
    wrong.says(shown, 'newer than this Postern')
    later(`delete from migrations where name = '999-later'`)
    await service.restart()
    wrong.says(await wrong.paste('version'), 'version')
    assert.equal((await book.paste('ready')).trim(), '{"ready":true}')
    book.assertAllPasted()
  })

  test('File descriptors run out', { skip: process.platform !== 'linux' }, async () => {
    await using database = await freshDatabase('sqlite')
    await using service = await startService(dirname(database.url.slice('sqlite:'.length)))
    const { book, origins } = service
    const row = book.row('File descriptors run out')
    execFileSync('prlimit', [`--pid=${service.process().child.pid}`, '--nofile=300:'])
    const port = Number(new URL(origins.base_url).port)
    const sockets: Socket[] = []
    try {
      while (!service.process().lines.some(({ msg }) => msg.startsWith('file descriptors run out'))) {
        const socket = connect(port, '127.0.0.1').on('error', () => {})
        await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))
        sockets.push(socket)
      }
      const printed = await row.paste('/proc/$pid/fd')
      assert.match(printed, /^2[5-9]\d|300$/m)
      row.says(printed, 'Max open files')
      assert.match(printed, /Max open files +300 /)
      await assert.rejects(book.paste('api /operator/streams'), /Empty reply|reset/)
      await row.paste('prlimit')
      const after = await row.paste('process_open_fds')
      row.says(after, 'process_open_fds', 'process_max_fds')
      assert.ok(after.includes(`process_max_fds ${MOST_OPEN}\n`), after)
      const told = service.process().lines.filter(({ msg }) => msg.startsWith('file descriptors run out')).length
      for (let n = 0; n < 50; n += 1) sockets.push(connect(port, '127.0.0.1'))
      assert.equal((await call(`${origins.base_url}/readyz`, 'GET')).status, 200)
      assert.equal(service.process().lines.filter(({ msg }) => msg.startsWith('file descriptors run out')).length, told)
      book.assertAllPasted()
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  test('The disk is full', { skip: withoutDisk }, async () => {
    await using disk = (await mountSmallDisk(16))!
    await using receiver = await startReceiver([DEMO_SECRET])
    await using service = await startService(disk.folder)
    const { book, origins } = service
    const row = book.row('The disk is full', 'pg_replication_slots')
    await subscribe(origins, receiver.url, '101')
    receiver.hold('POST')
    assert.equal((await publish(origins, messages('101', 20))).status, 202)
    await receiver.holding(4)
    await disk.take()
    const refusal = async (size: number) => {
      for (;;) {
        const answer = await publish(
          origins,
          messages('999', 1).map((event) => ({ ...event, payload: { text: 'x'.repeat(size) } })),
        )
        if (answer.status === 503) return answer
      }
    }
    await refusal(100_000)
    const { text } = await refusal(1)
    row.says(text, 'The database is out of disk space. Nothing was changed')
    receiver.letGo()
    await service.process().logged(/^cannot record attempts/)
    const printed = await row.paste('df -h')
    row.says(printed, '100%', '"free_bytes":0', 'sending is paused')
    assert.match(await book.paste('metrics postern_log_commits_total'), /result="failed"\} [1-9]/)
    await disk.give()
    await receiver.received(20)
    await service.process().logged(/sending resumes$/)
    const over = await row.paste('sending resumes')
    row.says(over, 'sending resumes')
    await until(async () => (await book.paste('ready')).includes('{"ready":true}'))
    assert.equal((await publish(origins, messages('101', 1))).status, 202)
    book.assertAllPasted()
  })

  test('The disk of the event log hangs, A publish was answered with 503', async () => {
    using freezer = startFreezer()
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using stage = await setStage({ fresh: true, environment: { POSTERN_OPERATOR_PORT: '0' } })
    await using book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log })
    await stage.connect(receiver)
    const send = (event_uuid: string) =>
      stage.operator('POST', '/operator/events', { events: [{ event_type: 'dm.received', user_id: '101', payload: {}, event_uuid }] })
    freezer.freeze(FROZEN_MS)
    const unknown = send('2')
    await stage.api('GET', '/livez')
    const waiting = send('3')
    const hangs = book.row('The disk of the event log hangs')
    const repeated = book.row('A publish was answered with 503')
    repeated.says((await unknown).text, 'may yet do it')
    hangs.says((await waiting).text, 'The event log does not answer')
    const MESSAGE = 'the thread of the event log does not answer, as when its disk hangs: nothing is accepted until it does'
    await stage.logged(MESSAGE, 1)
    const printed = await hangs.paste('the thread of the event log')
    hangs.says(printed, 'does not answer, as when its disk hangs', 'status 0')
    assert.match(await book.paste('ready'), /"event_log"/)

    await stage.until(async () => (await stage.api('GET', '/readyz')).status === 200)
    hangs.says(await hangs.paste('the thread of the event log'), 'the thread of the event log', 'answers again')
    await book.set({ EVENT: '2' })
    assert.match(await repeated.paste('$EVENT'), /"event_uuid":"2","accepted_at":"\d/)
    await book.set({ EVENT: '3' })
    repeated.says(await repeated.paste('$EVENT'), 'There is no event')
    const again = await Promise.all(['2', '3'].map(send))
    assert.deepEqual(
      again.map(({ status, body }) => [status, body.meta.deliveries]),
      [
        [202, 0],
        [202, 1],
      ],
    )
    repeated.says(again[0]!.text, '"deliveries":0')
    await receiver.received(2)
    book.assertAllPasted()
  })

  test('A restored copy sends nothing', async () => {
    const environment = { POSTERN_RETRY_PLAN: '1h,1h', POSTERN_OPERATOR_PORT: '0' }
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using folder = await backupFolder()
    await using target = await freshDatabase('sqlite')
    {
      await using stage = await setStage({ environment })
      await stage.connect(receiver)
      receiver.intercept = ({ method }, response) => method === 'POST' && answerWith(response, 500)
      const [uuid] = await stage.publish({ n: 1 })
      await stage.deliveriesWhen(`event_uuid=${uuid}`, ([found]) => found.state === 'retrying')
      receiver.intercept = undefined
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      await restoreTo(target.url, folder.at('one'), undefined, true)
    }
    await using copy = await setStage({ environment: { ...environment, POSTERN_DATABASE_URL: target.url } })
    await using book = await openRunbook({ operatorUrl: copy.origins.operator_url, lines: () => copy.log })
    const row = book.row('A restored copy sends nothing')
    await copy.publish({ n: 2 })
    row.says(await book.paste('ready'), '{"ready":true,"held":true}')
    assert.match(await row.paste('held_since'), /"held_since":"2\d{3}-/)
    assert.equal(receiver.events.length, 0)
    await row.paste('release')
    row.says(await book.paste('ready'), '{"ready":true}')
    row.says(await book.paste('logs'), 'the restored copy was released: what waits is sent')
    await receiver.received(1)
    book.assertAllPasted()
  })

  test('An operator token was stolen', async () => {
    await using database = await freshDatabase('sqlite')
    await using service = await startService(dirname(database.url.slice('sqlite:'.length)))
    const { book, origins } = service
    const row = book.row('An operator token was stolen')
    const asThief = () => call(`${origins.operator_url}/operator/apps/1`, 'PATCH', { token: OPERATOR_TOKEN, json: { webhook_limit: 99 } })
    assert.equal((await asThief()).status, 200)
    const audit = await row.paste('/operator/audit')
    row.says(audit, 'token_name', 'changes')
    assert.match(audit, /"action":"updateApp","app_id":"1",.*"field":"webhook_limit","before":"5","after":"99"/)
    await row.paste('restart postern')
    await service.restart({ POSTERN_OPERATOR_TOKEN: '', POSTERN_OPERATOR_TOKEN_FILE: `${book.root}/etc/postern/operator-token` })
    assert.equal((await asThief()).status, 401)
    const [{ kind, address }] = JSON.parse(await book.paste('api /operator/audit/failures')).data
    assert.deepEqual([kind, address], ['operator_token', '127.0.0.1'])
    assert.match(await book.paste('api /operator/audit/export > audit.ndjson; cat audit.ndjson'), /"webhook_limit"/)
    book.assertAllPasted()
  })
})
