import { addAccount } from './add-account.ts'
import { addApp } from './add-app.ts'
import { addSubscription } from './add-subscription.ts'
import { addToken } from './add-token.ts'
import { addUser } from './add-user.ts'
import { addWebhook } from './add-webhook.ts'
import type { SeedAdder, SeedServices } from './seed-adder.ts'
import { kindsToCome, type SeedDocument, type SeedKind, type SeedOf } from './seed-document.ts'

/** One thing of a seed: what it is, and, where it stood already otherwise, in which fields. */
export interface Seeded {
  kind: SeedKind
  id: string
  fields?: string[]
}

export interface SeedReport {
  created: Seeded[]
  existing: Seeded[]
  differing: Seeded[]
  /** Kinds that the seed names and this version does not have. */
  left_out: string[]
}

/**
 * Loads a seed: adds what is missing, reports what stands already and what differs, overwrites nothing. What the seed leaves out
 * is made up. Whoever shares the database loads one seed after the other. Throws `invalid-request` when a thing refers to another that does not exist.
 */
export async function loadSeed(document: SeedDocument, services: SeedServices): Promise<SeedReport> {
  const report: SeedReport = {
    created: [],
    existing: [],
    differing: [],
    left_out: Object.keys(kindsToCome).filter((kind) => kind in document),
  }

  const addAll = async <Kind extends SeedKind>(kind: Kind, add: SeedAdder<Kind>) => {
    for (const seed of (document[kind] ?? []) as SeedOf<Kind>[]) {
      const { id, differing } = await add(seed, services)
      if (differing === undefined) report.created.push({ kind, id })
      else if (differing.length === 0) report.existing.push({ kind, id })
      else report.differing.push({ kind, id, fields: differing })
    }
  }

  return services.storage.alone(async () => {
    await addAll('apps', addApp)
    await addAll('users', addUser)
    await addAll('tokens', addToken)
    await addAll('webhooks', addWebhook)
    await addAll('subscriptions', addSubscription)
    await addAll('accounts', addAccount)
    return report
  })
}
