import type { Webhook } from '../../webhooks.ts'
import type { NewRow, Row } from '../schema.ts'

/** Converts a row to a webhook. */
export const webhookFromRow = (row: Row<'webhooks'>): Webhook => ({
  id: row.id,
  appId: row.app_id,
  url: row.url,
  normalUrl: row.normal_url,
  valid: Boolean(row.valid),
  createdAtMs: row.created_at_ms,
  nextChallengeAtMs: row.next_challenge_at_ms,
  provenSecretVersion: row.proven_secret_version,
  lastChallenge: row.last_challenge_at_ms === null ? null : { atMs: row.last_challenge_at_ms, failure: row.last_challenge_failure },
})

export const webhookToRow = (webhook: Webhook): NewRow<'webhooks'> => ({
  id: webhook.id,
  app_id: webhook.appId,
  url: webhook.url,
  normal_url: webhook.normalUrl,
  valid: webhook.valid,
  created_at_ms: webhook.createdAtMs,
  next_challenge_at_ms: webhook.nextChallengeAtMs,
  proven_secret_version: webhook.provenSecretVersion,
  last_challenge_at_ms: webhook.lastChallenge?.atMs ?? null,
  last_challenge_failure: webhook.lastChallenge?.failure ?? null,
})
