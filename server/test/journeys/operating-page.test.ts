import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { follow } from '../stage/follow-handbook.ts'
import { backends, blockIn } from '../stage/handbook.ts'
import { setMachine } from '../stage/machine.ts'

/** What the shell of the page needs; without it nobody can follow the page. */
const missing = ['bash', 'curl', 'openssl'].filter((program) => spawnSync(program, ['--version']).error)

suite('the handbook of operators', { skip: missing.length > 0 && `needs ${missing.join(', ')}` }, () => {
  for (const flavour of databasesOf(import.meta))
    test(`pasted command by command, gives a production server behind TLS that signs a user in (${flavour})`, async () => {
      await using machine = await setMachine(flavour)
      await follow(machine, flavour)
      const { lines, stop } = machine.service()
      const warned = lines.filter(({ level }) => level >= 40).map(({ msg }) => msg)
      assert.deepEqual(warned, [], 'a start as the page says has nothing to warn of')
      assert.equal(await stop(), 0)
      if (flavour === 'postgres') assert.equal(await machine.second().stop(), 0)
      assert.equal(statSync(join(machine.root, 'etc/postern')).mode & 0o777, 0o700)
    })
})

test('its sample configurations lead each public name to the port that its host has in both processes, and overwrite what clients say of themselves', () => {
  assert.deepEqual(backends(blockIn('nginx')), {
    'api.example.com': [4000, 5000],
    'ads-api.example.com': [4001, 5001],
    'ads-api-sandbox.example.com': [4002, 5002],
  })
  const caddy = [...blockIn('caddyfile').matchAll(/^(\S+\.com) \{\n\treverse_proxy 127\.0\.0\.1:(\d+) 127\.0\.0\.1:(\d+) \{$/gm)]
  assert.deepEqual(Object.fromEntries(caddy.map(([, name, ...ports]) => [name, ports.map(Number)])), backends(blockIn('nginx')))
  for (const header of ['X-Forwarded-Proto $scheme', 'X-Forwarded-Host $host', 'X-Forwarded-For $remote_addr'])
    assert.ok(blockIn('nginx').includes(`proxy_set_header ${header};`), header)
})
