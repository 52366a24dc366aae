declare module '@20minutes/s3rver' {
  /** A server that speaks S3, with its buckets in a folder. */
  export default class S3rver {
    constructor(options: {
      directory: string
      address: string
      port: number
      silent: boolean
      allowMismatchedSignatures: boolean
      configureBuckets: { name: string; configs: string[] }[]
    })
    /** As Koa has it. */
    middleware: unknown[]
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
