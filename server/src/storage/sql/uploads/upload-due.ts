/** Announces that uploads are due. */
export const UPLOAD_DUE = { kind: 'due', queue: 'uploads' } as const
