import type { AdsCode } from '../../../../api/declare/ads-codes.ts'
import type { Rule } from '../../../../api/declare/rules.ts'
import type { NewRecord } from '../../../../storage/records.ts'
import type { FeatureKey } from '../../resources/feature-keys.ts'
import type { LineItemField, LineItemRecord } from '../../resources/line-item.ts'

/** A line item that is made or changed, and what its rules look at. */
export interface Judged {
  after: NewRecord<LineItemRecord>
  isNew: boolean
  /** Whether a field was given another value than it has; a new line item has what follows from nothing being said. */
  changes(field: LineItemField): boolean
  campaign: { budget_optimization: string }
  /** The other line items of the campaign, for a new one. */
  siblings: readonly LineItemRecord[]
  app: { earlyAccess: readonly string[] }
  features: readonly FeatureKey[]
}

/** A rule of line items. It is judged when one of its fields changes, so that what stands never keeps others from being changed. */
export interface LineItemRule {
  message: string
  /** The first is the one that a mistake is reported on. */
  fields: readonly [LineItemField, ...LineItemField[]]
  code: AdsCode
  holds(judged: Judged): boolean
}

export type Holds = LineItemRule['holds']

export const rule = (code: AdsCode, fields: LineItemRule['fields'], message: string, holds: Holds): LineItemRule => ({
  code,
  fields,
  message,
  holds,
})

/** A rule between parameters, of the line item as a whole. */
export const fromParams = ({ message, parameters, code = 'INVALID', holds }: Rule) =>
  rule(code, parameters as LineItemRule['fields'], message.replaceAll('`', ''), ({ after }) => holds({ ...after }))

/** The rule holds where a field is not set anew. */
export const whenSet =
  (field: LineItemField, holds: Holds): Holds =>
  (judged) =>
    judged.after[field] === null || !judged.changes(field) || holds(judged)

/** The objective is one of these. */
export const isOf =
  (...objectives: LineItemRecord['objective'][]): Holds =>
  ({ after }) =>
    objectives.includes(after.objective)

export const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)
