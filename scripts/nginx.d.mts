export declare const nginxPackages: readonly string[]
export declare function hasNginx(): boolean
