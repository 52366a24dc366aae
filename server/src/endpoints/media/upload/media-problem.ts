import { invalidRequest, Problem } from '../../../api/declare/problem.ts'

/** 400: something is wrong with a parameter of an upload, or with its file. */
export const mediaProblem = (message: string, parameter = 'media') =>
  invalidRequest([{ message: `${parameter}: ${message}`, parameters: { [parameter]: [] } }])

/** 404, the same for an upload that does not exist, that has expired and that is another user's. */
export const noSuchUpload = (id: string) =>
  new Problem('resource-not-found', {
    detail: `Could not find an upload with media_id: [${id}].`,
    parameter: 'media_id',
    resource_id: id,
    resource_type: 'media',
    value: id,
  })

/** 409: another request changed the upload. */
export const changedMeanwhile = () => new Problem('conflict', { detail: 'Segments of the upload came meanwhile; finalize it again.' })

/** How the endpoints of `/1.1/` answer what they refuse: 400 with code 324 (public practice). */
export async function withMediaCode<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid-request') throw error
    const messages = error.members.errors?.map(({ message }) => message) ?? []
    throw new Problem('invalid-request', { detail: messages.join(' ') }, { code: 324 })
  }
}
