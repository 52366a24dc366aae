import { sql } from 'kysely'
import type { AppPermissions } from '../../apps.ts'
import type { Consents, UserConsent } from '../../consents.ts'
import type { SqlDatabase } from '../sql-database.ts'

const LEVELS: readonly AppPermissions[] = ['read_write_dm', 'read_write', 'read']

/**
 * An expression for what a user has granted an app, as one text for `consentFrom`, or null for nothing. The columns need the name of their
 * table before them: it stands inside a subquery.
 */
export const consentText = (appId: string, userId: string) => `(select string_agg(given, '|') from (
    select access as given from user_tokens where app_id = ${appId} and user_id = ${userId}
    union all
    select cast(expires_at_ms as text) || ' ' || scopes from oauth2_grants where app_id = ${appId} and user_id = ${userId}
  ) as granted where exists (select 1 from users where id = ${userId} and not disabled))`

export const NO_CONSENT: UserConsent = { access: null, grants: [] }

function grantFrom(text: string): UserConsent['grants'][number] {
  const [untilMs, ...scopes] = text.split(' ')
  return { scopes, untilMs: Number(untilMs) }
}

/** Reads what `consentText` selects, separated by `|`: levels of access, and of each grant its end and its scopes. */
export function consentFrom(text: string | null | undefined): UserConsent {
  if (!text) return NO_CONSENT
  const given = text.split('|')
  const access = LEVELS.find((level) => given.includes(level)) ?? null
  return { access, grants: given.filter((each) => /^[0-9]/.test(each)).map(grantFrom) }
}

export const createConsents = ({ db, flavour }: SqlDatabase): Consents => ({
  async of(appId, userIds) {
    const wanted = flavour.values(JSON.stringify([...new Set(userIds)]))
    const { rows } = await sql<{ user_id: string; consent: string | null }>`
      select wanted.value as user_id, ${sql.raw(consentText('apps.id', 'wanted.value'))} as consent
      from ${wanted} cross join apps where apps.id = ${appId} and not apps.suspended`.execute(db)
    const found = new Map(rows.map((row) => [row.user_id, consentFrom(row.consent)]))
    return userIds.map((userId) => found.get(userId) ?? NO_CONSENT)
  },
})
