import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { selfSigned } from '../../stage/certificates.ts'
import { follow } from '../../stage/follow-handbook.ts'
import { blockIn, handbookBlocks, rolesBlock } from '../../stage/handbook.ts'
import { setMachine } from '../../stage/machine.ts'

for (const name of ['nginx', 'caddy'] as const)
  test(`the handbook gives a production server behind a real ${name} with its sample`, async () => {
    await using machine = await setMachine('sqlite', name)
    await follow(machine, 'sqlite')
  })

suite('what of the handbook the tests do not run', () => {
  const check = (program: string, parameters: string[]) => {
    const { status, stderr, stdout } = spawnSync(program, parameters, { encoding: 'utf8' })
    assert.equal(status, 0, `${stderr}${stdout}`)
    return `${stderr}${stdout}`
  }

  test('is a unit that systemd understands', async () => {
    await using machine = await setMachine('sqlite')
    const unit = handbookBlocks().find(({ text }) => text.includes('[Unit]'))!
    await machine.paste(unit.text)
    const said = check('systemd-analyze', ['verify', '--man=no', join(machine.root, 'etc/systemd/system/postern.service')])
    assert.doesNotMatch(said, /postern\.service:/, 'no word about this unit')
  })

  test('is a configuration that nginx understands', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-nginx-'))
    const { cert, key } = await selfSigned({ hosts: ['api.example.com'] })
    await writeFile(join(folder, 'fullchain.pem'), cert)
    await writeFile(join(folder, 'privkey.pem'), key)
    const sample = blockIn('nginx').replaceAll('/etc/letsencrypt/live/api.example.com', folder)
    const [upstream, location] = rolesBlock('nginx').split(/^#.*$/m)
    for (const served of [sample, upstream + sample.replace('  location / {', () => `${location}  location / {`)]) {
      await writeFile(join(folder, 'nginx.conf'), `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${served}\n}\n`)
      check('nginx', ['-t', '-c', join(folder, 'nginx.conf')])
    }
    await rm(folder, { recursive: true })
  })

  test('is a configuration that Caddy understands', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-caddy-'))
    const sample = blockIn('caddyfile')
    const withRoles = sample.replace(/^api\.example\.com \{$.*?^\}\n/ms, rolesBlock('caddyfile'))
    assert.notEqual(withRoles, sample)
    for (const served of [sample, withRoles]) {
      await writeFile(join(folder, 'Caddyfile'), served)
      check('caddy', ['adapt', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')])
    }
    await rm(folder, { recursive: true })
  })
})
