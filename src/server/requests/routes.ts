import { AppError } from '../errors.ts'
import type { Handlers } from '../http/mount.ts'

type RequestEndpoint =
  | 'createRequest'
  | 'listRequests'
  | 'changeRequest'
  | 'closeRequest'
  | 'requestDetails'
  | 'unlockRequest'
  | 'createDelivery'
  | 'openRequestPage'
  | 'adminRequests'
  | 'closeAnyRequest'

/** Routes for requests and for what they receive (design §5). */
export function requestRoutes(): Handlers<RequestEndpoint> {
  const notFound = () => {
    throw new AppError('REQUEST_NOT_FOUND')
  }
  return {
    createRequest: notFound,
    listRequests: () => [],
    changeRequest: notFound,
    closeRequest: notFound,
    requestDetails: notFound,
    unlockRequest: notFound,
    createDelivery: notFound,
    openRequestPage: notFound,
    adminRequests: () => [],
    closeAnyRequest: notFound,
  }
}
