import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { ChallengeResult } from '../../src/delivery/challenge/challenger.ts'
import { createRevalidate } from '../../src/delivery/revalidate.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { App, AppStore } from '../../src/storage/apps.ts'
import type { WebhookStore } from '../../src/storage/webhooks.ts'

const HOUR_MS = 3_600_000
const app = {
  id: '1',
  consumerSecret: 'current',
  secretVersion: 5,
  previousConsumerSecret: null,
  previousSecretUntilMs: null,
  suspended: false,
}
const FAILED = { passed: false, reason: 'shown', details: 'everything' } as ChallengeResult

interface Revalidation {
  trigger?: 'put' | 'automatic'
  result?: ChallengeResult
  /** The version of the secret that the webhook has proven. */
  proven?: number
  more?: Partial<App>
  exists?: boolean
}

/** Challenges a webhook; answers the outcome, and what was recorded. */
async function revalidate({ trigger = 'automatic', result = { passed: true, secret: 0 }, proven = 5, more, exists = true }: Revalidation) {
  const clock = createClock()
  const recorded: unknown[] = []
  const inHour = ({ nextChallengeAtMs, atMs, ...rest }: { nextChallengeAtMs: number | null; atMs: number }) => {
    assert.ok(nextChallengeAtMs === null || (nextChallengeAtMs > atMs && nextChallengeAtMs <= atMs + HOUR_MS))
    return { ...rest, isChallengedAgain: nextChallengeAtMs !== null }
  }
  const webhook = { id: '7', appId: '1', normalUrl: 'https://a.example/', provenSecretVersion: proven }
  const webhooks = {
    beginChallenge: async () => (exists ? { webhook, number: 3 } : undefined),
    decide: async (_id: string, number: number, decision: never) => {
      recorded.push('decided', number, inHour(decision))
      return true
    },
    postpone: async (_id: string, nextChallengeAtMs: number, checked?: { atMs: number }) => {
      const { atMs = clock.now(), ...rest } = checked ?? {}
      recorded.push('postponed', inHour({ nextChallengeAtMs, atMs, ...rest }))
    },
  } as unknown as WebhookStore
  const apps = { byId: async () => ({ ...app, ...more }) } as unknown as AppStore
  const run = createRevalidate(webhooks, apps, { challenge: async () => result } as never, clock, pino({ level: 'silent' }))
  return { outcome: await run('7', trigger), recorded }
}

test('a challenge that passes by itself leaves the webhook as it is, but for the secret that it has newly proven', async () => {
  const passed = { passed: true, secret: 0 }
  assert.deepEqual(await revalidate({}), { outcome: passed, recorded: ['postponed', { isChallengedAgain: true }] })
  assert.deepEqual(await revalidate({ proven: 4 }), {
    outcome: passed,
    recorded: ['postponed', { provenSecretVersion: 5, isChallengedAgain: true }],
  })
  assert.deepEqual((await revalidate({ proven: 4, result: { passed: true, secret: 1 } })).recorded, [
    'postponed',
    { isChallengedAgain: true },
  ])
})

test('a challenge of a PUT that passes makes the webhook valid, with the secret that it has proven', async () => {
  const decided = (provenSecretVersion: number) => ['decided', 3, { valid: true, provenSecretVersion, isChallengedAgain: true }]
  assert.deepEqual((await revalidate({ trigger: 'put' })).recorded, decided(5))
  assert.deepEqual((await revalidate({ trigger: 'put', result: { passed: true, secret: 1 } })).recorded, decided(4))
})

test('a challenge that fails makes the webhook invalid and is the last, whatever started it', async () => {
  for (const trigger of ['put', 'automatic'] as const)
    assert.deepEqual(await revalidate({ trigger, result: FAILED }), {
      outcome: FAILED,
      recorded: ['decided', 3, { valid: false, failure: 'everything', isChallengedAgain: false }],
    })
})

test('a webhook of a suspended app is not challenged but within the hour, and a deleted one never', async () => {
  assert.deepEqual(await revalidate({ more: { suspended: true } }), {
    outcome: 'postponed',
    recorded: ['postponed', { isChallengedAgain: true }],
  })
  assert.deepEqual(await revalidate({ exists: false }), { outcome: 'deleted', recorded: [] })
})
