import type { Storage } from '../../src/storage/storage.ts'

/** A catalog of user 101 with one of everything. */
export async function fillCatalogs({ catalogs, scheduledFeeds, imageChecks }: Storage) {
  await catalogs.create({ id: '1', host: 'production', userId: '101', name: 'Spring' }, 1)
  await catalogs.change('1', async (transaction) => {
    await transaction.add([{ productKey: '2', id: 'cup', itemGroupId: null, itemGroupKey: null, attributes: { title: 'Cup' } }])
    const set = { id: '3', catalogId: '1', name: 'Cups', description: null, filters: [] }
    await transaction.addSet({ ...set, type: 'MANUAL', processingStatus: 'DONE' }, ['2'], 1, 5)
  })
  const schedule = { frequency: 'DAILY', repeat: null, startTime: '06:30', timeZone: 'UTC' } as const
  const feed = { id: '4', catalogId: '1', feedUrl: 'https://shop.example/p.csv', feedFormat: 'CSV', ...schedule } as const
  await scheduledFeeds.create({ ...feed, createdAtMs: 1, updatedAtMs: 1 }, 5)
  const counts = { rows: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }
  await scheduledFeeds.report(
    { id: '5', feedId: '4', state: 'DONE', startedAtMs: 1, finishedAtMs: 2, failure: null, rowErrors: [], ...counts },
    9,
  )
  await imageChecks.request('1', ['https://shop.example/cup.png'], 1)
}
