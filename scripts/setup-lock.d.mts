export declare function withSetupLock<T>(name: string, work: () => T | Promise<T>): Promise<T>
