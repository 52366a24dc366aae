import { before } from '../../../../api/declare/rules.ts'
import { fromParams, type Holds, hasObjective, type LineItemRule, rule, whenSet } from './line-item-rule.ts'

const hasFrequencyCaps: Holds = ({ features }) => features.includes('REACH_FREQUENCY_CAP')

/** Rules of the flight dates and the frequency cap. */
export const servingRules: readonly LineItemRule[] = [
  rule('INVALID_PARAMETER', ['start_time'], 'start_time cannot be unset', ({ after }) => after.start_time !== null),
  fromParams(before('start_time', 'end_time')),
  rule(
    'INVALID',
    ['frequency_cap'],
    'frequency_cap is for the objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS',
    whenSet('frequency_cap', hasObjective('REACH', 'ENGAGEMENTS', 'VIDEO_VIEWS', 'PREROLL_VIEWS')),
  ),
  ...(['frequency_cap', 'duration_in_days'] as const).map((field) =>
    rule('FEATURE_NOT_AVAILABLE', [field], `${field} needs the account feature REACH_FREQUENCY_CAP`, whenSet(field, hasFrequencyCaps)),
  ),
]
