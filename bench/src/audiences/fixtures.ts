import { randomBytes } from 'node:crypto'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { signInSeed, USER_ID } from '../sign-in/fixtures.ts'

const ACCOUNT = 'audience0'
const AUDIENCE = 'crowd'
export const AUDIENCE_PATH = `/12/accounts/${ACCOUNT}/custom_audiences/${AUDIENCE}`
export const USERS_PATH = `${AUDIENCE_PATH}/users`
/** A cheap read of something else. */
export const READ_PATH = `/12/accounts/${ACCOUNT}`

/** The documented limit: 1,500 requests a minute. */
export const LIMIT_PER_SECOND = 25
export const OPERATIONS = 2500
/** So many users of one identifier make an operation of a body of 5 MB. */
export const FULL_USERS = 24

/** A seed with one account of the user and one audience. */
export const audienceSeed = {
  ...signInSeed,
  apps: signInSeed.apps?.map((app) => ({ ...app, ads_access: true, permissions: 'read_write' })),
  accounts: [
    {
      id: ACCOUNT,
      name: 'Audience',
      members: [{ user_id: USER_ID, role: 'ACCOUNT_ADMIN' }],
      custom_audiences: [{ id: AUDIENCE, name: 'Crowd' }],
    },
  ],
} as object as SeedDocument

const HASH_BYTES = 32

/** A body of operations with so many users each, whose identifiers nobody has had yet. */
export function newBody(users: number): string {
  const hashes = randomBytes(OPERATIONS * users * HASH_BYTES).toString('hex')
  const userAt = (place: number) => `{"email":["${hashes.slice(place * HASH_BYTES * 2, (place + 1) * HASH_BYTES * 2)}"]}`
  const operationAt = (place: number) => {
    const all = Array.from({ length: users }, (_, index) => userAt(place * users + index))
    return `{"operation_type":"Update","params":{"users":[${all.join()}]}}`
  }
  return `[${Array.from({ length: OPERATIONS }, (_, place) => operationAt(place)).join()}]`
}
