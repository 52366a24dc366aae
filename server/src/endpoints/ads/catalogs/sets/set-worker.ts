import { endOfTurn } from '../../../../lib/clock.ts'
import { MINUTE_MS } from '../../../../lib/time.ts'
import type { Catalogs, CatalogTransaction } from '../../../../storage/catalogs.ts'
import type { Claim } from '../../../../storage/due-work.ts'
import { isUnavailable } from '../../../../storage/unavailable.ts'
import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import { compileFilters } from '../filters/matches.ts'

const CLAIM_MS = MINUTE_MS
const AT_ONCE = 2
/** How many products one transaction filters, so that requests on the catalog do not wait long. */
const SLICE = 500
/** How many of them are compared and written before others get their turn. */
const PART = 100

/** Filters the next products into a set. Returns false once there are no more. */
async function filterSlice(transaction: CatalogTransaction, claim: Claim): Promise<boolean> {
  const set = await transaction.set(claim.id)
  const from = await transaction.processedTo(claim.id)
  if (!set || from === undefined) return false
  const products = await transaction.after(from, SLICE)
  const matches = compileFilters(set.filters)
  for (let begin = 0; begin < products.length; begin += PART) {
    const found = products.slice(begin, begin + PART).filter(({ attributes }) => matches(attributes))
    await transaction.changeMembers(
      found.map(({ productKey }) => [claim.id, productKey]),
      [],
    )
    await endOfTurn()
  }
  const isMore = products.length === SLICE
  await transaction.setProcessed(claim, products.at(-1)?.position ?? from, isMore ? 'PROCESSING' : 'DONE')
  return isMore
}

/** Filters slices until a set has all products, the claim is lost, or this process stops. An error that is no outage ends it as `FAILED`. */
async function fillSet(catalogs: Catalogs, catalogId: string, claimed: Claim, now: () => number, isStopped: () => boolean) {
  let claim: Claim | undefined = claimed
  for (let isMore = true; isMore && claim && !isStopped(); ) {
    const held: Claim = claim
    try {
      isMore = (await catalogs.change(catalogId, (transaction) => filterSlice(transaction, held))) ?? false
    } catch (error) {
      if (!isUnavailable(error)) await catalogs.change(catalogId, (transaction) => transaction.setProcessed(held, 0, 'FAILED'))
      throw error
    }
    if (isMore) claim = await catalogs.dueSets.renew(held, now() + CLAIM_MS)
    await endOfTurn()
  }
}

/**
 * Fills new filtered sets with the products that exist, in the order of their submission. Products that change meanwhile are put into the set
 * by the change itself (`put-items.ts`), so it does not matter which comes first.
 */
export function createSetWorker(options: { catalogs: Catalogs } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>) {
  const { catalogs, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'product_sets',
    work: catalogs.dueSets,
    changes,
    clock,
    logger,
    activity,
    claimMs: CLAIM_MS,
    atOnce: AT_ONCE,
    async run(claim, isStopped) {
      const catalogId = await catalogs.catalogOfSet(claim.id)
      if (catalogId !== undefined) await fillSet(catalogs, catalogId, claim, () => clock.now(), isStopped)
    },
  })
}
