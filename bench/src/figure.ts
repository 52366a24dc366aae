import type { Run } from './run.ts'

/** One line of the table. A value is already in its unit. */
export interface Line {
  /** What was measured, with the unit and the number in flight. */
  what: string
  measured: string
  /** The limit as it came out in the same run. */
  limit: string
  /** Measured over limit, where the two are of one kind. */
  ratio?: number
  /** Processor time, of Postern and of the limit. */
  processor?: string
  aim: string
  /** Undefined where there is no aim. */
  isMet?: boolean
}

/** Something that is measured beside its limit. To add one: a file in figures/, and a line in figures.ts. Figures that differ by numbers alone are one list. */
export interface Figure {
  /** By which `--only` finds it. */
  name: string
  /** What it is measured against, and how: a paragraph for the page. */
  limit: string
  /** Ends every process that it starts, also when it rejects. */
  measure(run: Run): Promise<Line[]>
}
