import { because, type Problem } from '../api/declare/problem.ts'
import type { App } from '../storage/apps.ts'

/** The problem of an app that an operator has suspended, with the reason. */
export const suspendedApp = (problem: Problem, { id, name }: Pick<App, 'id' | 'name'>): Problem =>
  because(problem, 'The app is suspended.', () => [`PATCH /operator/apps/${id} with {"suspended": false} lets ${name} call again.`])
