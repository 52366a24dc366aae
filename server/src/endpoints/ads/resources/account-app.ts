import { boolean, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { regularEndpoints } from '../regular-endpoints.ts'

/** A mobile app that an account can promote (§2.8). */
export const AccountApp = resource({
  title: 'Account app',
  name: 'account_apps',
  notFound: 'NOT_FOUND',
  fields: {
    app_store_identifier: text({ max: 255, example: 'com.example.app' }),
    os_type: oneOf(['Android', 'iOS']),
    deep_link_pattern: nullable(text({ max: 255 })),
    conversion_tracking_enabled: boolean(),
  },
  seedDefaults: { app_store_identifier: 'com.example.app', os_type: 'Android' },
  defaults: { conversion_tracking_enabled: false },
})

export const { listAccountApps } = regularEndpoints(AccountApp, {
  route: '/12/accounts/:account_id/account_apps',
  section: '§4.8',
  changes: 'campaigns',
  list: { summary: 'List the mobile apps of an account.' },
})
