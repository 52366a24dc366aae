import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import { demoApp, SECRET, type Stage, setStage } from '../stage/postern.ts'

const PRODUCTION = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '0' }
const GOOD = 'b4c0ffee4a5e1dab'

/** A key or secret, and why production refuses it. */
const weak: [text: string, says: RegExp][] = [
  ['short', /must have at least 16 characters/],
  ['changeme', /must have at least 16 characters/],
  ['b4c0ffee4a5e1da', /must have at least 16 characters/],
  ['changeme-changeme', /is a placeholder/],
  ['your-consumer-secret', /is a placeholder/],
  ['x'.repeat(40), /is a placeholder/],
  ['demo-consumer-key', /is a placeholder/],
  ['demo-consumer-secret-for-development-only', /is a placeholder/],
]

const load = (stage: Stage, apps: object[]) => stage.operator('POST', '/operator/seed', { apps })
const names = async (stage: Stage) => (await stage.operator('GET', '/operator/apps')).body.data.map(({ name }: { name: string }) => name)

suite('in production', () => {
  test('an app whose key or secret is short or a placeholder is refused by its path, and nothing of the seed is kept', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: { apps: [demoApp] } })
    for (const member of ['consumer_key', 'consumer_secret'])
      for (const [text, says] of weak) {
        const answer = await load(stage, [
          { name: 'Good', consumer_key: GOOD },
          { name: 'Weak', [member]: text },
        ])
        assert.equal(answer.status, 400, answer.text)
        const [error, ...others] = answer.body.errors
        assert.deepEqual([others, error.parameters], [[], { [`apps.1.${member}`]: ['***'] }])
        assert.ok(error.message.startsWith(`$.apps.1.${member}: `), error.message)
        assert.match(error.message, says)
        assert.match(error.message, /openssl rand -hex 24/)
        assert.ok(text === 'short' || !answer.text.includes(text), 'the value is not repeated')
      }
    assert.deepEqual(await names(stage), ['Demo'])
  })

  test('all that are weak are named at once', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: {} })
    const { document } = await readSeed(DEMO_SEED)
    const answer = await load(stage, [...document.apps!, { name: 'Weak', consumer_secret: 'short' }])
    const paths = answer.body.errors.flatMap(({ parameters }: { parameters: object }) => Object.keys(parameters))
    assert.deepEqual(paths, ['apps.0.consumer_key', 'apps.0.consumer_secret', 'apps.0.oauth2_client_secret', 'apps.1.consumer_secret'])
  })

  test('a key and secret of 16 characters that somebody made up are taken, and those that are left out are generated', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: {} })
    const answer = await load(stage, [{ name: 'Good', consumer_key: GOOD, consumer_secret: `${GOOD.slice(1)}7` }, { name: 'Generated' }])
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(await names(stage), ['Good', 'Generated'])
  })

  test('a secret is not rotated to a placeholder', async () => {
    await using stage = await setStage({ environment: PRODUCTION, seed: { apps: [demoApp] } })
    const rotate_secret = { consumer_secret: 'your-consumer-secret' }
    const answer = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { rotate_secret })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.errors[0].message, /^\$\.rotate_secret\.consumer_secret: is a placeholder/)
    const rotate_oauth2_client_secret = { oauth2_client_secret: 'your-client-secret' }
    const ofClient = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { rotate_oauth2_client_secret })
    assert.equal(ofClient.status, 400, ofClient.text)
    assert.match(ofClient.body.errors[0].message, /^\$\.rotate_oauth2_client_secret\.oauth2_client_secret: is a placeholder/)
    await stage.token()
  })
})

test('in development every key and secret is taken', async () => {
  await using stage = await setStage({ seed: {} })
  const answer = await load(stage, [{ name: 'Weak', consumer_key: 'key', consumer_secret: 'changeme' }])
  assert.equal(answer.status, 200, answer.text)
})
