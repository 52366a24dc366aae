import { cursorAfter, readCursor } from '../../../api/records/cursor.ts'
import type { ListQuery } from '../../../storage/records.ts'

const byId = { sort: [] }

/** What a cursor is valid for. */
const tiedTo = ({ account_id, custom_audience_id, with_active = true }: Record<string, unknown>) => [
  'listTargeted',
  account_id,
  custom_audience_id,
  with_active,
]

/** The cursor of the page after a campaign. */
export const targetedCursor = (params: Record<string, unknown>, campaignId: string): string =>
  cursorAfter({ id: campaignId }, byId, tiedTo(params))

/** Where a page begins; undefined without a cursor, and for one that is not of this list. */
export const readTargetedCursor = (params: Record<string, unknown>): ListQuery['after'] =>
  readCursor(
    params.cursor,
    byId,
    () => {
      throw new Error('campaigns are listed by their ids alone')
    },
    tiedTo(params),
  )
