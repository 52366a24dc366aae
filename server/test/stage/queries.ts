import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Flavour } from './database.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** The alert rules that operators are given. */
export const RULES = join(DEPLOY, 'prometheus/rules.yaml')

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[]
}

interface Dashboard {
  panels: { targets?: { expr: string }[] }[]
}

export const alertExpressions = (): string[] =>
  (parse(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))

/** The queries of the dashboard, which Grafana fills with an interval. */
export const dashboardQueries = (): string[] =>
  (JSON.parse(readFileSync(join(DEPLOY, 'grafana/postern.json'), 'utf8')) as Dashboard).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  )

const ABSENT = {
  sqlite: /^postern_(broker_|connection|oldest_transaction|feed_lag|wal_)/,
  postgres: /^postern_(broker_|disk_)/,
}

/** Whether a metric has no sample on this database, in files or in memory, and without a broker. */
export const isAbsentOn = (flavour: Flavour, name: string): boolean => ABSENT[flavour].test(name)
