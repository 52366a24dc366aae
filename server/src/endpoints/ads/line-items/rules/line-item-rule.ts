import type { AdsCode } from '../../../../api/declare/ads-codes.ts'
import type { Rule } from '../../../../api/declare/rules.ts'
import type { NewRecord } from '../../../../storage/records.ts'
import type { FeatureKey } from '../../resources/feature-keys.ts'
import type { LineItemField, LineItemRecord } from '../../resources/line-item.ts'

/** A line item to create or change, and what its rules need besides. */
export interface RuleContext {
  after: NewRecord<LineItemRecord>
  isNew: boolean
  /** Whether a field gets a new value; for a new line item, another value than the default. */
  changes(field: LineItemField): boolean
  campaign: { budget_optimization: string }
  /** For a new line item: the other line items of its campaign. */
  siblings: readonly LineItemRecord[]
  app: { earlyAccess: readonly string[] }
  features: readonly FeatureKey[]
}

/** A rule of line items. It is checked if one of its fields changes, so that an existing value never prevents changes of other fields. */
export interface LineItemRule {
  message: string
  /** An error is reported on the first. */
  fields: readonly [LineItemField, ...LineItemField[]]
  code: AdsCode
  holds(context: RuleContext): boolean
}

export type Holds = LineItemRule['holds']

export const rule = (code: AdsCode, fields: LineItemRule['fields'], message: string, holds: Holds): LineItemRule => ({
  code,
  fields,
  message,
  holds,
})

/** Converts a rule between parameters to a rule of line items. */
export const fromParams = ({ message, parameters, code = 'INVALID', holds }: Rule) =>
  rule(code, parameters as LineItemRule['fields'], message.replaceAll('`', ''), ({ after }) => holds({ ...after }))

/** Applies the rule only if the field is set to a new value. */
export const whenSet =
  (field: LineItemField, holds: Holds): Holds =>
  (context) =>
    context.after[field] === null || !context.changes(field) || holds(context)

/** Whether the objective is one of these. */
export const hasObjective =
  (...objectives: LineItemRecord['objective'][]): Holds =>
  ({ after }) =>
    objectives.includes(after.objective)

export const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)
