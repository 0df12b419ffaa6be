export * from '@neynar/ui/utils';
