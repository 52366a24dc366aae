import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Flavour } from './database.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** The alert rules that operators are given. */
export const RULES = join(DEPLOY, 'prometheus/rules.yaml')

export interface AlertRule {
  alert: string
  expr: string
  for?: string
  annotations: Record<string, string>
}

interface Rules {
  groups: { rules: AlertRule[] }[]
}

interface Dashboard {
  panels: { targets?: { expr: string }[] }[]
}

export const alertRules = (): AlertRule[] => (parse(readFileSync(RULES, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules)

export const alertExpressions = (): string[] => alertRules().map(({ expr }) => expr)

/** The queries of the dashboard, which Grafana fills with an interval. */
export const dashboardQueries = (): string[] =>
  (JSON.parse(readFileSync(join(DEPLOY, 'grafana/postern.json'), 'utf8')) as Dashboard).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  )

const ABSENT = {
  sqlite: /^postern_(broker_|connection|oldest_transaction|feed_lag|wal_|log_up)/,
  postgres: /^postern_(broker_|disk_|log_up)/,
}

/** Whether a metric has no sample on this database, in files or in memory, without a broker and with one event log. */
export const isAbsentOn = (flavour: Flavour, name: string): boolean => ABSENT[flavour].test(name)
