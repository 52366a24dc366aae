import { MINUTE_MS } from '../../../../lib/time.ts'
import type { ImageChecks } from '../../../../storage/image-checks.ts'
import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import type { FetchOptions } from '../work/fetch-options.ts'
import { lookAtImage } from './look-at-image.ts'

const AT_ONCE = 8

/** Looks at the images that products link to, in the background. */
export const createImageWorker = (
  options: FetchOptions & { imageChecks: ImageChecks } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>,
) => {
  const { imageChecks, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'image_checks',
    work: imageChecks,
    changes,
    clock,
    logger,
    activity,
    claimMs: MINUTE_MS,
    atOnce: AT_ONCE,
    async run(claim) {
      const url = await imageChecks.urlOf(claim)
      const problem = url === undefined ? undefined : await lookAtImage(url, options)
      if (problem !== undefined) await imageChecks.checked(claim, problem, clock.now())
    },
  })
}
