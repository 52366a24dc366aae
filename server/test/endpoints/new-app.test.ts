import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newApp } from '../../src/endpoints/operator/apps/new-app.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'

const services = { ids: createIds(createClock()), now: () => 1_800_000_000_000, usualEarlyAccess: ['catalogs'] }

test('a new app has defaults for what is missing', () => {
  const { id, consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret, ...app } = newApp({ name: 'Acme' }, services)
  assert.match(id, /^[0-9]{1,19}$/)
  assert.match(consumerKey, /^[A-Za-z0-9]{24}$/)
  assert.match(consumerSecret, /^[A-Za-z0-9]{48}$/)
  assert.match(oauth2ClientId ?? '', /^[A-Za-z0-9]{32}$/)
  assert.match(oauth2ClientSecret ?? '', /^[A-Za-z0-9]{48}$/)
  assert.deepEqual(app, {
    name: 'Acme',
    secretVersion: 1,
    previousConsumerSecret: null,
    previousSecretUntilMs: null,
    callbackUrls: [],
    permissions: 'read',
    signInWithService: false,
    webhookLimit: 5,
    adsAccess: false,
    earlyAccess: ['catalogs'],
    activityEnrolled: true,
    usageCap: null,
    eventQuota: null,
    deliveryQuota: null,
    rowQuota: null,
    oauth2ClientType: 'confidential',
    suspended: false,
    portalGeneration: 1,
    createdAtMs: 1_800_000_000_000,
  })
})

test('a new app has what is given', () => {
  const given = {
    id: '7',
    consumer_key: 'a-key',
    consumer_secret: 'a-secret',
    name: 'Acme',
    callback_urls: ['https://a.example/cb'],
    permissions: 'read_write_dm' as const,
    sign_in_with_service: true,
    webhook_limit: 0,
    ads_access: true,
    early_access: [],
    activity_enrolled: false,
    usage_cap: 0,
    event_quota: 0,
    delivery_quota: 1,
    row_quota: 2,
    suspended: true,
    oauth2_client_id: 'client',
    oauth2_client_type: 'public' as const,
  }
  const { secretVersion, previousConsumerSecret, previousSecretUntilMs, portalGeneration, createdAtMs, ...app } = newApp(given, services)
  assert.deepEqual(app, {
    id: '7',
    consumerKey: 'a-key',
    consumerSecret: 'a-secret',
    name: 'Acme',
    callbackUrls: ['https://a.example/cb'],
    permissions: 'read_write_dm',
    signInWithService: true,
    webhookLimit: 0,
    adsAccess: true,
    earlyAccess: [],
    activityEnrolled: false,
    usageCap: 0,
    eventQuota: 0,
    deliveryQuota: 1,
    rowQuota: 2,
    suspended: true,
    oauth2ClientId: 'client',
    oauth2ClientType: 'public',
    oauth2ClientSecret: null,
  })
})
