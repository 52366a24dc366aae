import * as xdk from 'xdk-0.5'
import { xdkUploads } from '../../stage/xdk-uploads.ts'

xdkUploads('@xdevplatform/xdk 0.5', xdk, (body) => ({ body }))
