import { setStage } from './stage/postern.ts'

void setStage
