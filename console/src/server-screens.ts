export { OperateScreen } from './operate-screen.tsx'
export { OverviewScreen } from './overview-screen.tsx'
