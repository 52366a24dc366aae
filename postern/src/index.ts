export { startPostern } from './kit/start-postern.ts'
