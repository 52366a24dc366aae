import type { ErrorDetail } from '../../../api/declare/problem.ts'
import { cutText } from '../../../lib/text.ts'
import { assertNoErrors, weakCredentials } from '../apps/app-credentials.ts'
import { unusablePassword, weakPassword } from '../users/new-password.ts'
import { addAccount, withIds } from './add-account.ts'
import { addApp } from './add-app.ts'
import { addCatalog } from './add-catalog.ts'
import { addSubscription } from './add-subscription.ts'
import { addToken } from './add-token.ts'
import { addWebhook } from './add-webhook.ts'
import { addContent } from './content/add-content.ts'
import { addUsers } from './content/add-users.ts'
import { checkContent } from './content/check-content.ts'
import { ContentLoad } from './content/content-load.ts'
import { seedObjects } from './content/content-objects.ts'
import { isDemoSeed } from './read-seed.ts'
import type { Added, Seeded, SeedServices } from './seed-adder.ts'
import type { SeedDocument, SeedKind } from './seed-document.ts'

export interface SeedReport {
  created: Seeded[]
  existing: Seeded[]
  differing: Seeded[]
}

const passwordErrors = ({ users = [] }: SeedDocument, errorsOf: typeof weakPassword): ErrorDetail[] =>
  users.flatMap(({ password }, at) => (password === undefined ? [] : errorsOf(password, `users.${at}.password`)))

/** What production refuses. */
const weaknesses = (document: SeedDocument): ErrorDetail[] => [
  ...(document.apps ?? []).flatMap((app, at) => weakCredentials(app, `apps.${at}`)),
  ...passwordErrors(document, weakPassword),
]

/**
 * Loads a seed: adds what is missing, reports what exists already and what differs, overwrites nothing. Missing fields get defaults.
 * Processes that share a database load one seed after the other. Throws `invalid-request` when a record refers to another that does not
 * exist, for a hash that cannot be used, and in production for weak secrets and passwords.
 */
export async function loadSeedDocument(document: SeedDocument, given: Omit<SeedServices, 'standIns' | 'isJudged'>): Promise<SeedReport> {
  assertNoErrors([...passwordErrors(document, unusablePassword), ...(given.refusesWeakSecrets ? weaknesses(document) : [])])
  const services: SeedServices = { ...given, standIns: new Map(), isJudged: !isDemoSeed(document) }
  const report: SeedReport = { created: [], existing: [], differing: [] }

  const note = (kind: string, { id, differing, children = [] }: Added) => {
    if (differing === undefined) report.created.push({ kind, id })
    else if (differing.length === 0) report.existing.push({ kind, id })
    else report.differing.push({ kind, id, fields: differing })
    report.created.push(...children)
  }

  const addAll = async <Seed>(kind: SeedKind, seeds: readonly Seed[] = [], add: (seed: Seed, services: SeedServices) => Promise<Added>) => {
    for (const seed of seeds) note(kind, await add(seed, services))
  }

  const objects = await seedObjects(document)
  const load = new ContentLoad(services, note)

  const { storage } = services
  return storage.runExclusively(async () => {
    await checkContent(document, objects, storage.content)
    await addAll('apps', document.apps, addApp)
    await addUsers(load, document.users ?? [])
    await addAll('tokens', document.tokens, addToken)
    await addAll('webhooks', document.webhooks, addWebhook)
    await addAll('subscriptions', document.subscriptions, addSubscription)
    await addAll('accounts', withIds(document.accounts ?? []), addAccount)
    await addAll('product_catalogs', document.product_catalogs, addCatalog)
    await addContent(load, document, objects)
    return report
  })
}

const MAX_LENGTH = 2000

/** What differs from a seed, as a sentence for the log; undefined when nothing does. */
export function describeDifferences({ differing }: SeedReport): string | undefined {
  if (differing.length === 0) return undefined
  const records = differing.map(({ kind, id, fields = [] }) => `${kind} ${id} (${fields.join(', ')})`)
  return cutText(`the database differs from the seed and keeps its values: ${records.join('; ')}`, MAX_LENGTH)
}
